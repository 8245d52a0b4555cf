"""Named tuples that are passed to compiled functions by pointer.

The state is a tuple of some hundred arrays, each of nine words or more in numba. Passed by value, each word would be an
argument, and most of the time of compilation would go into arguments. As the tuple itself never changes, only the
contents of its arrays, loads of its fields are invariant: the optimiser may merge or repeat them
(`models.jit.compiler.struct_pointer`).
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T", bound=type)
REFERENCES: set[type] = set()  # the classes that are


def struct_pointer(kind: T) -> T:
    """Have a class of named tuples passed to compiled functions by reference."""
    REFERENCES.add(kind)
    return kind
