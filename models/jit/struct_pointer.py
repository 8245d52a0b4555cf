"""Named tuples passed to compiled functions by pointer.

The state is a tuple of some hundred arrays, each of nine or more words in numba. Passed by value, each word would be an
argument, and most compilation time would go into arguments. Only the contents of the arrays change, not the tuple, so
loads of its fields are invariant: the optimiser may merge or repeat them (`models.jit.compiler.struct_pointer`).
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T", bound=type)
# Such a class may have ABSENT, the names of fields that are 0 or False: constants of compiled code.
REFERENCES: set[type] = set()  # the classes that are passed by pointer


def struct_pointer(kind: T) -> T:
    """Pass named tuples of class `kind` to compiled functions by pointer; a class decorator."""
    REFERENCES.add(kind)
    return kind
