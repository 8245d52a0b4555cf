"""Groups: sets of ranks by hand, and what is refused."""

from __future__ import annotations

import pytest

from sim.mpi.constants import IDENT, PROC_NULL, SIMILAR, UNDEFINED, UNEQUAL
from sim.mpi.errors import ERROR_CLASSES, MpiError
from sim.mpi.group import GROUP_EMPTY, GROUP_NULL, Group

FIVE = Group([10, 11, 12, 13, 14])


def test_sets_keep_the_order_of_the_first_group() -> None:
    one, other = FIVE.Incl([3, 0, 1]), FIVE.Incl([1, 4, 3])
    assert Group.Union(one, other).members == (13, 10, 11, 14)
    assert Group.Intersection(one, other).members == (13, 11)
    assert Group.Difference(one, other).members == (10,)
    assert FIVE.Excl([0, 4]).members == (11, 12, 13)
    assert FIVE.Range_incl([(4, 0, -2), (1, 1, 5)]).members == (14, 12, 10, 11)
    assert FIVE.Range_excl([(0, 2, 2)]).members == (11, 13, 14)
    assert Group.Difference(one, one) is GROUP_EMPTY
    assert not GROUP_NULL


def test_comparison_and_translation() -> None:
    one = FIVE.Incl([2, 1])
    assert [one.Compare(other) for other in (one.Dup(), FIVE.Incl([1, 2]), FIVE)] == [IDENT, SIMILAR, UNEQUAL]
    assert one.Translate_ranks([0, PROC_NULL, 1], FIVE) == [2, PROC_NULL, 1]
    assert FIVE.Translate_ranks([0, 1], one) == [UNDEFINED, 1]


@pytest.mark.parametrize(
    ("ranks", "text"), [([5], "must be from 0 to 4"), ([-1], "rank -1"), ([1, 1], "may be given once")]
)
def test_ranks_that_it_has_not(ranks: list[int], text: str) -> None:
    for method in (FIVE.Incl, FIVE.Excl):
        with pytest.raises(MpiError, match=text) as caught:
            method(ranks)
        assert caught.value.Get_error_class() == ERROR_CLASSES["ERR_RANK"]
    with pytest.raises(ValueError, match="stride must not be 0"):
        FIVE.Range_incl([(0, 1, 0)])
