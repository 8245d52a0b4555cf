"""Whole numbers that commands and their Python counterparts are given beside a configuration."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.errors import TsujiError


def check_int(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return a whole number that is large enough, and not too large.

    Parameters
    ----------
    name : str
        What the user calls it.
    value : Any
        What was given.
    least : int
        Smallest that is allowed.
    most : int or None
        Largest; None: any.

    Raises
    ------
    TsujiError
        Naming it, its value and what is allowed.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        allowed = f"{least} or more" if most is None else f"{least} to {most}"
        raise TsujiError(f"{name} = {value!r}: must be a whole number, {allowed}")
    return int(value)
