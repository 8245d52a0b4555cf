"""The section [workload]: how messages become packets, and their costs at both ends."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from models.params import Params
from sim.config.costs import Costs

BYTE_UNITS = 1 << 16  # costs per byte are multiples of this fraction of a cycle
Nanoseconds = Annotated[float, Field(ge=0, le=1e12)]
Cost = Annotated[float, Field(ge=0, le=1e6)]


def flit_bytes(data_width: int) -> int:
    """Return the whole bytes that a flit of `data_width` bits carries."""
    return data_width // 8


class WorkloadParams(Params):
    """Parameters of ranks on nodes.

    Parameters
    ----------
    cycle_ns : float
        Length of a cycle, nanoseconds.
    packet_bytes : int
        Largest payload of a packet, bytes. Flits carry `switch.data_width` bits.
    send_overhead, receive_overhead : float
        Time for which a CPU is busy with a message, nanoseconds.
    copy_cost : float
        Time for which a CPU is busy per byte, at each end, nanoseconds; for messages up to `eager_bytes`.
    zero_copy : bool
        Whether interfaces read and write the memory of programs: nothing is copied, and a send ends when its message
        has left the node, not when the CPU is done with it.
    eager_bytes : int
        Most bytes of an eager message; a longer one first asks its receiver (rendezvous).
    interfaces : int
        Network interfaces per node, which take turns packet by packet; each sends one message at a time. Messages are
        assigned to them in turn, unless operations name the interface (`nic N` of GOAL).
    compute_scale : float
        Factor on the duration of calculations; 0: they take no time.
    warm_up : {"none", "alltoall"}
        What fills route caches before the jobs begin: nothing, or an all-to-all of least size among the ranks of each
        job. It is in no figure.
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
    warm_up: Literal["none", "alltoall"] = "none"

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.zero_copy and self.copy_cost:
            raise ValueError(f"copy_cost = {self.copy_cost}: nothing is copied with zero_copy = true; leave it out")
        return self

    def packet_flits(self, data_width: int) -> int:
        """Return the flits of a full packet; a flit carries `data_width` bits."""
        return -(-self.packet_bytes // flit_bytes(data_width))

    def costs(self) -> Costs:
        """Return the costs in cycles, as the message layer uses them."""
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
