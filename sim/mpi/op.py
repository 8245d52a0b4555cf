"""Operations of reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sim.mpi.buffer import Array, flat
from sim.mpi.datatype import of_dtype
from sim.mpi.errors import MpiError, TypeMisusedError
from sim.mpi.refusal import refuse_missing

PAIRS = ("MAXLOC", "MINLOC")
"""Operations on pairs of value and location."""

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


@refuse_missing("Op")
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
    created : bool
        Whether a program created it: its function then also takes a type, as `Create` says.
    """

    def __init__(
        self, function: Callable[..., Any], commute: bool = False, name: str = "", created: bool = False
    ) -> None:
        self.function = function
        self.commute = commute
        self.label = name or getattr(function, "__name__", "function")
        self.created = created

    @classmethod
    def Create(cls, function: Callable[..., Any], commute: bool = False) -> Op:
        """Return the operation of `function(left, right, type)`.

        For buffers, `left` and `right` are their bytes, and the function stores its result in `right`; for objects, it
        returns the result, and the type is None.
        """
        return cls(function, commute, created=True)

    def Free(self) -> None:
        """Do nothing: there is nothing to free."""

    def Is_commutative(self) -> bool:
        """Return whether operands may be exchanged."""
        return self.commute

    @property
    def is_commutative(self) -> bool:
        """Whether operands may be exchanged."""
        return self.commute

    @property
    def is_predefined(self) -> bool:
        """Whether the operation is one of MPI's own."""
        return OPS.get(self.label) is self

    def __call__(self, left: Any, right: Any) -> Any:
        """Return the combination of two operands."""
        return self.function(left, right, None) if self.created else self.function(left, right)

    def of_buffers(self) -> Op:
        """Return the operation on arrays, whose result is of their type.

        Raises
        ------
        MpiError
            If it is not defined for elements of buffers.
        """
        if self.label in PAIRS and self.is_predefined:
            raise MpiError.of("OP", f"{self} of buffers needs a type of pairs: use the function in lower case")

        def combined(left: Array, right: Array) -> Array:
            if not self.created:
                return np.asarray(self.function(left, right)).astype(right.dtype, copy=False)
            result = np.array(right)
            self.function(left.copy().view(np.uint8).data, result.view(np.uint8).data, of_dtype(result.dtype))
            return result

        return Op(combined, self.commute, self.label)

    def Reduce_local(self, inbuf: Any, inoutbuf: Any) -> None:
        """Store the combination of two buffers in the second."""
        result = flat(inoutbuf).to_write()
        result.write(self.of_buffers()(flat(inbuf).read(), result.read()), "Reduce_local")

    def __repr__(self) -> str:
        return f"MPI.{self.label}"


def as_op(op: Any) -> Op:
    """Return the operation of an argument: an operation, or a function of two objects.

    Raises
    ------
    TypeMisusedError
        If it is neither.
    """
    if isinstance(op, Op):
        return op
    if callable(op):
        return Op(op)
    raise TypeMisusedError(f"op = {op!r}: must be an operation of MPI or a function of two objects")


def on_buffers(op: Any) -> Op:
    """Return the operation on buffers of an argument.

    Raises
    ------
    TypeMisusedError
        If it is no operation: a function becomes one by `MPI.Op.Create`.
    """
    if isinstance(op, Op):
        return op.of_buffers()
    raise TypeMisusedError(f"op = {op!r}: must be an operation of MPI; MPI.Op.Create makes one of a function")


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
    op.label: op
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
        Op(lambda a, b: b, False, "REPLACE"),
        Op(lambda a, b: a, False, "NO_OP"),
    )
}
