"""Operations of reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Op:
    """An operation that combines two operands.

    Parameters
    ----------
    function : callable
        Function of two operands; the left one comes from lower ranks.
    commute : bool
        Whether operands may be exchanged.
    name : str
        Name in messages.
    """

    def __init__(self, function: Callable[[Any, Any], Any], commute: bool = False, name: str = "") -> None:
        self.function = function
        self.commute = commute
        self.name = name or getattr(function, "__name__", "function")

    @classmethod
    def Create(cls, function: Callable[[Any, Any], Any], commute: bool = False) -> Op:  # noqa: N802 - MPI's name
        """Return the operation that applies a function of two objects."""
        return cls(function, commute)

    def Free(self) -> None:  # noqa: N802 - MPI's name
        """Do nothing: there is nothing to free."""

    def Is_commutative(self) -> bool:  # noqa: N802 - MPI's name
        """Return whether operands may be exchanged."""
        return self.commute

    def __call__(self, left: Any, right: Any) -> Any:
        """Return the combination of two operands."""
        return self.function(left, right)

    def __repr__(self) -> str:
        return f"MPI.{self.name}"


def _chosen(of_arrays: Callable[[Any, Any], Any], of_objects: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a function that combines arrays element by element."""

    def function(left: Any, right: Any) -> Any:
        if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
            return of_arrays(left, right)
        return of_objects(left, right)

    return function


def _better(sign: int) -> Callable[[Any, Any], Any]:
    """Return the choice between pairs of value and location: the better value, of equal values the first location."""

    def function(left: Any, right: Any) -> Any:
        if left[0] == right[0]:
            return left if left[1] <= right[1] else right
        return left if sign * left[0] > sign * right[0] else right

    return function


OPS = {
    op.name: op
    for op in (
        Op(lambda a, b: a + b, True, "SUM"),
        Op(lambda a, b: a * b, True, "PROD"),
        Op(_chosen(np.maximum, max), True, "MAX"),
        Op(_chosen(np.minimum, min), True, "MIN"),
        Op(_chosen(np.logical_and, lambda a, b: bool(a) and bool(b)), True, "LAND"),
        Op(_chosen(np.logical_or, lambda a, b: bool(a) or bool(b)), True, "LOR"),
        Op(_chosen(np.logical_xor, lambda a, b: bool(a) != bool(b)), True, "LXOR"),
        Op(lambda a, b: a & b, True, "BAND"),
        Op(lambda a, b: a | b, True, "BOR"),
        Op(lambda a, b: a ^ b, True, "BXOR"),
        Op(_better(1), True, "MAXLOC"),
        Op(_better(-1), True, "MINLOC"),
    )
}
