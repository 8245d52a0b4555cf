"""Checks that the ranks of a communicator call the same collectives in the same order, with matching counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.mpi.errors import ProgramError

if TYPE_CHECKING:
    from sim.mpi.point_to_point import PointToPoint

Same = dict[str, object]
"""What must be equal in all ranks: a name for messages, and the value; None: this rank does not know it."""


@dataclass
class _Call:
    name: str
    rank: int
    same: dict[str, tuple[object, int]]
    missing: int


def agree(comm: PointToPoint, rank: int, number: int, name: str, same: Same) -> None:
    """Record that `rank` calls collective `number` of a communicator.

    Raises
    ------
    ProgramError
        If another rank has called a different collective, or with different counts.
    """
    key = ("collective", comm.number, number)
    call = comm.world.shared.setdefault(key, _Call(name, rank, {}, comm.size))
    which = f"collective {number + 1} of {'all ranks' if comm.number == 0 else f'a communicator of {comm.size} ranks'}"
    if call.name != name:
        raise ProgramError(f"{name} as {which}, where rank {call.rank} calls {call.name}: ranks must call the same")
    for what, value in same.items():
        if value is None:
            continue
        known, first = call.same.setdefault(what, (value, rank))
        if known != value:
            raise ProgramError(
                f"{name} as {which} with {what} {value}, where rank {first} has {known}: must be the same for all ranks"
            )
    call.missing -= 1
    if not call.missing:
        del comm.world.shared[key]
