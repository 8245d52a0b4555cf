"""Content of a message: any Python object, as it was when sent, and its size in bytes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sim.mpi.errors import ProgramError

_UNCHANGING = (int, float, complex, bool, str, bytes, type(None))


class Payload(NamedTuple):
    """An object in flight.

    Attributes
    ----------
    size : int
        Bytes.
    unpack : callable
        Returns a separate copy for each receiver.
    items, unit : int
        Number of elements, and bytes of one; reductions split between elements.
    pickled : bool
        Whether the size is that of a pickle, which may differ between ranks.
    """

    size: int
    unpack: Callable[[], Any]
    items: int
    unit: int
    pickled: bool

    def of(self, value: Any) -> Payload:
        """Return a payload of the same size with another value."""
        return self._replace(unpack=lambda: copy.deepcopy(value))


NOTHING = Payload(0, lambda: None, 0, 1, False)
"""A message without content."""


def pack(value: Any, size: int | None = None) -> Payload:
    """Return the payload of a value: a copy of an array, a pickle of anything else.

    Parameters
    ----------
    value : object
    size : int or None
        Size to simulate; the object is then passed by reference, and must not be changed. None: size of the array or of
        the pickle.

    Raises
    ------
    ProgramError
        If the value cannot be pickled, or the size is negative.
    """
    if size is not None:
        if size < 0:
            raise ProgramError(f"bytes = {size}: must be at least 0")
        return Payload(int(size), lambda: value, int(size), 1, False)
    if isinstance(value, np.ndarray) and value.dtype != object:
        copied = value.copy()
        return Payload(value.nbytes, copied.copy, value.size, value.itemsize, False)
    try:
        data = pickle.dumps(value, protocol=5)
    except Exception as error:
        raise ProgramError(f"{value!r} cannot be sent ({error}): say how large it is with bytes=") from error
    if isinstance(value, _UNCHANGING):
        return Payload(len(data), lambda: value, len(data), 1, True)
    return Payload(len(data), lambda: pickle.loads(data), len(data), 1, True)
