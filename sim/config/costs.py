"""What messages cost, in the units of time of the message layer."""

from __future__ import annotations

from typing import NamedTuple

from models.jit.struct_pointer import struct_pointer


@struct_pointer
class Costs(NamedTuple):
    """LogGOPS parameters (Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010), in units of time.

    On a real network latency and gap a byte are the network's, so they are 0 here.
    """

    ideal: bool  # whether messages arrive after `latency`; else a network carries them
    latency: int
    send_overhead: int
    receive_overhead: int
    gap: int  # between messages of an interface
    # Of each byte but the first, in 1/2^16 of a unit.
    byte_gap: int
    send_byte: int  # that the CPU is busy
    receive_byte: int
    eager: int  # most bytes of a message that does not wait for its receiver
    cpu_receives: bool  # whether the CPU is busy while the bytes of a message come, as in LogGOPSim
    buffered: bool  # whether an eager send ends when the CPU is done with it; else when it has left
