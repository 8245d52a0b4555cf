"""Collectives of a trace that run in groups of ranks: the trace names no communicator, so a rule says which.

In a time-independent trace the line of a collective is the same whether all ranks take part or those of a smaller
communicator. Where the program's documentation tells the communicators, a rule names them by collective and count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from models.errors import TsujiError
from sim.schedule.collectives.plan import Plan
from sim.schedule.ti.fields import NUMBER

LISTS = ("alltoallv", "gatherv", "scatterv", "allgatherv", "reducescatter", "barrier")
"""Collectives whose lines have no single count to recognise them by."""
RULE = re.compile(r"([a-z]+) +([0-9]{1,18}) *: *([1-9][0-9]{0,8})(?: +stride +([1-9][0-9]{0,8}))?")


@dataclass(frozen=True)
class GroupRule:
    """Which collectives run in groups, and of which ranks a group is.

    Attributes
    ----------
    action : str
        Collective, as the trace names it.
    count : int
        First number of its lines, elements.
    size : int
        Ranks per group.
    stride : int
        Distance of a group's ranks: 1, consecutive ranks.
    """

    action: str
    count: int
    size: int
    stride: int = 1

    @classmethod
    def parse(cls, text: str) -> GroupRule:
        """Return the rule that a text such as `alltoall 256: 128 stride 2` writes.

        Raises
        ------
        TsujiError
            If it writes none.
        """
        match = RULE.fullmatch(text.strip())
        if not match or match[1] in LISTS:
            raise TsujiError(
                f"{text!r}: no rule of groups; write `COLLECTIVE COUNT: SIZE` or `COLLECTIVE COUNT: SIZE stride "
                "STRIDE`, such as `alltoall 256: 128 stride 2`, of a collective whose lines have one count"
            )
        return cls(match[1], int(match[2]), int(match[3]), int(match[4] or 1))

    def __str__(self) -> str:
        return f"{self.action} {self.count}: {self.size}" + (f" stride {self.stride}" if self.stride > 1 else "")

    def check(self, ranks: int) -> None:
        """Refuse a rule whose groups do not divide the ranks of a trace.

        Raises
        ------
        TsujiError
            If a rank would be in no full group.
        """
        if ranks % (self.size * self.stride):
            raise TsujiError(
                f"{str(self)!r}: groups of {self.size} ranks at stride {self.stride} do not divide {ranks} ranks; "
                "SIZE × STRIDE must divide the number of ranks"
            )

    def members(self, rank: int) -> range:
        """Return the ranks of a rank's group, in order."""
        block = self.size * self.stride
        first = rank - rank % block + rank % self.stride
        return range(first, first + block, self.stride)


def rule_of(rules: Sequence[GroupRule], action: str, fields: Sequence[bytes]) -> GroupRule | None:
    """Return the rule for a collective's line, given the fields after its name; None: all ranks take part."""
    for rule in rules:
        if rule.action == action and fields and NUMBER.fullmatch(fields[0]) and int(float(fields[0])) == rule.count:
            return rule
    return None


def in_group(plan: Plan, members: Sequence[int]) -> Plan:
    """Return a rank's plan of a collective with the peers by their ranks in the trace, not in the group."""
    return plan._replace(peers=[members[peer] for peer in plan.peers])
