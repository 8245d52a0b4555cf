"""The section [workload]: how messages become packets, and what they cost at either end."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from models.params import Params
from sim.config.costs import Costs

BYTE_UNITS = 1 << 16  # costs of a byte are whole numbers of its parts of a cycle
Nanoseconds = Annotated[float, Field(ge=0, le=1e12)]
Cost = Annotated[float, Field(ge=0, le=1e6)]


def flit_bytes(data_width: int) -> int:
    """Return the whole bytes that a flit of so many bits carries."""
    return data_width // 8


class WorkloadParams(Params):
    """Ranks on nodes.

    Parameters
    ----------
    cycle_ns : float
        Length of a cycle, nanoseconds.
    packet_bytes : int
        Bytes that a packet carries at most. Flits carry `switch.data_width` bits.
    send_overhead, receive_overhead : float
        That a CPU is busy with a message, nanoseconds.
    copy_cost : float
        That a CPU is busy a byte, at either end, nanoseconds; of messages up to `eager_bytes`.
    zero_copy : bool
        Whether interfaces read and write the memory of programs: nothing is copied, and a send is over when its message
        has left the node, not when the CPU is done with it.
    eager_bytes : int
        Most bytes of a message that is sent at once; a longer one first asks its receiver (rendezvous).
    interfaces : int
        Network interfaces of a node, which take turns packet by packet; each sends a message at a time. Messages take
        them in turn, but where operations name them (`nic N` of GOAL).
    compute_scale : float
        What calculations are multiplied by; 0: none take any time.
    """

    cycle_ns: Annotated[float, Field(gt=0, le=1e6)] = 1.0
    packet_bytes: Annotated[int, Field(ge=1, le=1 << 20)] = 2048
    send_overhead: Nanoseconds = 0.0
    receive_overhead: Nanoseconds = 0.0
    copy_cost: Cost = 0.0
    zero_copy: bool = False
    eager_bytes: Annotated[int, Field(ge=0, le=1 << 60)] = 65536
    interfaces: Annotated[int, Field(ge=1, le=64)] = 1
    compute_scale: Annotated[float, Field(ge=0, le=1e9)] = 1.0

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.zero_copy and self.copy_cost:
            raise ValueError(f"copy_cost = {self.copy_cost}: nothing is copied with zero_copy = true; leave it out")
        return self

    def packet_flits(self, data_width: int) -> int:
        """Return the flits of a full packet, where flits carry so many bits."""
        return -(-self.packet_bytes // flit_bytes(data_width))

    def costs(self) -> Costs:
        """Return them as the message layer takes them, in cycles."""
        byte = round(self.copy_cost / self.cycle_ns * BYTE_UNITS)
        return Costs(
            ideal=False,
            latency=0,
            send_overhead=round(self.send_overhead / self.cycle_ns),
            receive_overhead=round(self.receive_overhead / self.cycle_ns),
            gap=0,
            byte_gap=0,
            send_byte=byte,
            receive_byte=byte,
            eager=self.eager_bytes,
            cpu_receives=True,
            buffered=not self.zero_copy,
        )
