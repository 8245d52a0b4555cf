"""Checks of arrays and numbers from a user, made once before compiled code, which checks nothing, uses them."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError

Int64 = NDArray[np.int64]
Shape = tuple[int | None, ...]  # None: any length


def check_int(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return `value` as an int if it is a whole number from `least` to `most`.

    Parameters
    ----------
    name : str
        Name in messages.
    value : Any
        Value to check.
    least : int
        Smallest value allowed.
    most : int or None
        Largest value allowed; None: no limit.

    Raises
    ------
    TsujiError
        If it is not; the message names it, its value and what is allowed.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        allowed = f"{least} or more" if most is None else f"{least} to {most}"
        raise TsujiError(f"{name} = {value!r}: must be a whole number, {allowed}")
    return int(value)


def check_number(name: str, value: Any, least: float, most: float = math.inf) -> float:
    """Return `value` as a float if it is a finite number from `least` to `most`.

    Parameters
    ----------
    name : str
        Name in messages.
    value : Any
        Value to check.
    least, most : float
        Smallest and largest number allowed; infinite: no limit.

    Raises
    ------
    TsujiError
        If it is not; the message names it, its value and what is allowed.
    """
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or not least <= value <= most:
        allowed = f"{least:g} or more" if most == math.inf else f"{least:g} to {most:g}"
        raise TsujiError(f"{name} = {value!r}: must be a number, {allowed}")
    return float(value)


def check_ints(name: str, values: Any, shape: Shape, least: int, most: int) -> Int64:
    """Return an array of whole numbers in a range, as int64.

    Parameters
    ----------
    name : str
        Name in messages.
    values : array_like
        Values to check; floating-point numbers only if they are whole.
    shape : tuple of (int or None)
        Length along each axis; None: any.
    least, most : int
        Smallest and largest number that is allowed.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names the array and the first such index and value.
    """
    array = _numbers(name, values)
    if array.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, array.shape, strict=True)):
        wanted = ", ".join("any" if length is None else str(length) for length in shape)
        raise TsujiError(f"{name}: shape {array.shape}; must be ({wanted}{',' if len(shape) == 1 else ''})")
    # NaN is in no range; compared before the cast, which would wrap values beyond int64.
    allowed = (array >= least) & (array <= most) & (np.floor(array) == array if array.dtype.kind == "f" else True)
    if not allowed.all():
        index = tuple(int(place) for place in np.argwhere(~allowed)[0])
        where = ", ".join(map(str, index))
        raise TsujiError(f"{name}[{where}] = {array[index]}: must be a whole number, {least} to {most}")
    return array.astype(np.int64)


def _truth_value(values: list[Any] | tuple[Any, ...]) -> tuple[str, Any] | None:
    """Return index and value of the first true or false in nested lists: an array would count with it as 1 or 0."""
    for index, value in enumerate(values):
        if isinstance(value, bool | np.bool_):
            return f"[{index}]", value
        if isinstance(value, list | tuple) and (found := _truth_value(value)):
            return f"[{index}]{found[0]}", found[1]
    return None


def _masked(values: Any) -> bool:
    # Without the module there are no masked arrays, and its import takes 80 ms of CPU time.
    return "numpy.ma" in sys.modules and bool(np.ma.is_masked(values))


def _numbers(name: str, values: Any) -> NDArray[Any]:
    """Return `values` as an array of numbers of one type."""
    if isinstance(values, list | tuple) and (place := _truth_value(values)):
        raise TsujiError(f"{name}{place[0]} = {place[1]!r}: must be a whole number, not true or false")
    if _masked(values) or (isinstance(values, list | tuple) and any(map(_masked, values))):
        raise TsujiError(f"{name}: has masked values; fill them, or leave them out")
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise TsujiError(f"{name}: is no array of numbers: {error}") from error
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iuf":
        raise TsujiError(f"{name}: array of {array.dtype}; must be whole numbers, as int64 are")
    return array
