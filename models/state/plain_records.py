"""Records of which plain Python reads a field quickly, for models that run uncompiled.

`numpy.recarray` finds a field by a search written in Python; a bench's model does little else. Here a field of a record
is a property of its type, some eight times as fast. Compiled code is given recarrays, which numba knows.
"""

from __future__ import annotations

from functools import cache, partial
from operator import itemgetter
from typing import Any

import numpy as np


class PlainRecords(np.ndarray):
    """An array of records whose fields are its attributes, as those of a `numpy.recarray` are."""

    def __getattr__(self, name: str) -> Any:
        """Return the array of a field."""
        if name not in (self.dtype.names or ()):
            raise AttributeError(name)
        return self.view(np.ndarray)[name]

    def __setattr__(self, name: str, value: Any) -> None:
        """Fill a field, or assign an attribute of the array."""
        if name in (self.dtype.names or ()):
            self[name] = value
        else:
            super().__setattr__(name, value)


def plain_records(array: np.ndarray) -> PlainRecords:
    """Return a view of an array of records, of which `array[place].field` is read and written quickly."""
    return array.view(np.dtype((_record(array.dtype.names or ()), array.dtype))).view(PlainRecords)


@cache
def _record(names: tuple[str, ...]) -> type[np.void]:
    """Return a type of records with these fields as properties."""
    fields = {name: property(itemgetter(name), partial(_set, name)) for name in names}
    return type("PlainRecord", (np.void,), {"__slots__": (), **fields})


def _set(name: str, record: np.void, value: Any) -> None:
    record[name] = value
