"""Costs of messages, in the message layer's units of time."""

from __future__ import annotations

from typing import NamedTuple

from models.jit.struct_pointer import struct_pointer


@struct_pointer
class Costs(NamedTuple):
    """LogGOPS parameters (Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010), in units of time.

    On a simulated network, latency and gap per byte come from the network, so they are 0 here.
    """

    ideal: bool  # whether messages arrive after `latency`; else a network carries them
    latency: int
    send_overhead: int
    receive_overhead: int
    gap: int  # gap between two messages of an interface
    # Per byte after the first, in 1/2^16 of a unit.
    byte_gap: int
    send_byte: int  # time for which the CPU is busy
    receive_byte: int
    eager: int  # most bytes of an eager message; a longer one waits for its receiver
    cpu_receives: bool  # whether the CPU is busy while the bytes of a message arrive, as in LogGOPSim
    buffered: bool  # whether an eager send ends when the CPU is done with it; else when its message has left the node
