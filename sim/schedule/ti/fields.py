"""Numbers in the lines of a trace, read as SimGrid reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from sim.lib.quoted import quoted
from sim.schedule.goal import MOST_TIME

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
WHOLE_NUMBER = re.compile(rb"[+-]?\d{1,18}")
ANY_SOURCE, ANY_TAG = -555, -444
"""SimGrid's numbers for any source and any tag; here, −1 stands for both, too."""


def read_count(name: str, text: bytes) -> int:
    """Return a count of elements: a number, possibly in floating point, whose fraction is cut off.

    Raises
    ------
    ValueError
        If it is no number, or out of range; the message names it.
    """
    if not NUMBER.fullmatch(text):
        raise ValueError(f"{name} = {quoted(text)} is no number")
    value = float(text)
    if not abs(value) <= MOST_TIME:
        raise ValueError(f"{name} = {quoted(text)} is above {MOST_TIME}")
    return math.trunc(value)


def read_amount(name: str, text: bytes) -> float:
    """Return an amount of work or a time: a finite number of at least 0.

    Raises
    ------
    ValueError
        If it is none; the message names it.
    """
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} = {quoted(text)} is no amount of at least 0")
    return value


def read_whole(name: str, text: bytes) -> int:
    """Return a rank, tag or type: a whole number.

    Raises
    ------
    ValueError
        If it is none; the message names it.
    """
    if not WHOLE_NUMBER.fullmatch(text):
        raise ValueError(f"{name} = {quoted(text)} is no whole number")
    return int(text)


def check_message(receives: bool, peer: int, tag: int, ranks: int) -> None:
    """Refuse a partner or tag that a message cannot have.

    Raises
    ------
    ValueError
        If one is out of range.
    """
    if not (0 <= peer < ranks or (receives and peer == -1)):
        raise ValueError(f"{peer} is not a rank from 0 to {ranks - 1}")
    if tag < 0 and not (receives and tag == -1):
        raise ValueError(f"tag {tag} is negative")


def check_fields(fields: Sequence[bytes], least: int, most: int) -> None:
    """Refuse a line with too few or too many fields after its action.

    Raises
    ------
    ValueError
        If their number is wrong.
    """
    if not least <= len(fields) <= most:
        raise ValueError(f"{len(fields)} fields")
