"""Groups: ordered sets of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim.mpi.constants import IDENT, PROC_NULL, SIMILAR, UNDEFINED, UNEQUAL
from sim.mpi.errors import MpiError, ValueMisusedError
from sim.mpi.rank import current
from sim.mpi.refusal import refuse_missing

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


@refuse_missing("Group")
class Group:
    """Ranks in an order.

    Parameters
    ----------
    members : sequence of int
        The ranks, by their numbers in the world.
    """

    def __init__(self, members: Sequence[int]) -> None:
        self.members = tuple(members)
        self._ranks = {member: rank for rank, member in enumerate(self.members)}

    def Get_size(self) -> int:
        """Return the number of ranks."""
        return len(self.members)

    @property
    def size(self) -> int:
        """Number of ranks."""
        return len(self.members)

    def Get_rank(self) -> int:
        """Return the number of the calling rank; `UNDEFINED` if it is no member."""
        return self._ranks.get(current().number, UNDEFINED)

    @property
    def rank(self) -> int:
        """Number of the calling rank; `UNDEFINED` if it is no member."""
        return self.Get_rank()

    def Translate_ranks(self, ranks: Sequence[int] | None = None, group: Group | None = None) -> list[int]:
        """Return the numbers in another group of ranks of this one; `UNDEFINED` for those that it lacks.

        Parameters
        ----------
        ranks : sequence of int or None
            Ranks; None: all.
        group : Group or None
            The other group; None: all ranks of the world.
        """
        listed = range(self.size) if ranks is None else [int(rank) for rank in ranks]
        self._check([rank for rank in listed if rank != PROC_NULL])
        found = []
        for rank in listed:
            if rank == PROC_NULL:
                found.append(PROC_NULL)
            else:
                member = self.members[rank]
                found.append(member if group is None else group._ranks.get(member, UNDEFINED))
        return found

    def Compare(self, group: Group) -> int:
        """Return `IDENT` for the same ranks in the same order, `SIMILAR` for the same ranks, or `UNEQUAL`."""
        if self.members == group.members:
            return IDENT
        return SIMILAR if set(self.members) == set(group.members) else UNEQUAL

    def Dup(self) -> Group:
        """Return a group of the same ranks."""
        return _of(self.members)

    @classmethod
    def Union(cls, group1: Group, group2: Group) -> Group:
        """Return the ranks of the first group, then those of the second that the first lacks."""
        return _of(tuple(dict.fromkeys(group1.members + group2.members)))

    @classmethod
    def Intersection(cls, group1: Group, group2: Group) -> Group:
        """Return the ranks of the first group that the second has, too."""
        return _of([member for member in group1.members if member in group2._ranks])

    Intersect = Intersection

    @classmethod
    def Difference(cls, group1: Group, group2: Group) -> Group:
        """Return the ranks of the first group that the second lacks."""
        return _of([member for member in group1.members if member not in group2._ranks])

    def Incl(self, ranks: Sequence[int]) -> Group:
        """Return the given ranks, in that order."""
        listed = self._check(ranks)
        return _of([self.members[rank] for rank in listed])

    def Excl(self, ranks: Sequence[int]) -> Group:
        """Return all but the given ranks."""
        without = set(self._check(ranks))
        return _of([member for rank, member in enumerate(self.members) if rank not in without])

    def Range_incl(self, ranks: Sequence[tuple[int, int, int]]) -> Group:
        """Return ranks by their first, their last and their stride."""
        return self.Incl(_listed(ranks))

    def Range_excl(self, ranks: Sequence[tuple[int, int, int]]) -> Group:
        """Return all but the ranks by their first, their last and their stride."""
        return self.Excl(_listed(ranks))

    def Free(self) -> None:
        """Do nothing: there is nothing to free."""

    def _check(self, ranks: Sequence[int]) -> list[int]:
        listed = [int(rank) for rank in ranks]
        for rank in listed:
            if not 0 <= rank < self.size:
                raise MpiError.of("RANK", f"rank {rank} of a group of {self.size}: must be from 0 to {self.size - 1}")
        if len(set(listed)) < len(listed):
            raise MpiError.of("RANK", f"ranks {listed}: each may be given once")
        return listed

    def __repr__(self) -> str:
        return f"<group of {self.size} ranks>"


class NullGroup(Group):
    """No group."""

    def __init__(self) -> None:
        super().__init__(())

    def __bool__(self) -> bool:
        return False


GROUP_EMPTY = Group(())
GROUP_NULL = NullGroup()


def _of(members: Sequence[int]) -> Group:
    """Return a group; the empty one is always the same."""
    return Group(members) if members else GROUP_EMPTY


def _listed(ranges: Sequence[Any]) -> list[int]:
    """Return the ranks of ranges of first, last and stride."""
    found: list[int] = []
    for first, last, stride in ranges:
        if stride == 0:
            raise ValueMisusedError(f"a range ({first}, {last}, 0) of ranks: the stride must not be 0")
        found += range(first, last + (1 if stride > 0 else -1), stride)
    return found
