"""Axes of a sweep: configuration keys and their values, from text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product

from models.errors import TsujiError

MAX_VALUES = 10_000
RANGE_END = re.compile(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", re.IGNORECASE)
LOAD = "traffic.load"  # the key that curves run along


@dataclass(frozen=True)
class Axis:
    """A key of the configuration and its values, each as text.

    Attributes
    ----------
    key : str
        Dotted key, such as `traffic.load`.
    values : tuple of str
        Values as `--set` takes them.
    """

    key: str
    values: tuple[str, ...]


def parse(text: str) -> Axis:
    """Return the axis that `key=start:stop:step` (both ends included) or `key=a,b,c` describes.

    In a list, each value may also be a range: `key=off,0:20:1`.

    Raises
    ------
    TsujiError
        If the text is neither, or the range is empty or unbounded.
    """
    key, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not values or not all(key.split(".")):
        raise TsujiError(
            f"--over {text}: write key=start:stop:step or key=a,b,c, such as --over traffic.load=0.1:0.5:0.1"
        )
    given = [values] if "," not in values else _split(values)
    chosen = [value for each in given for value in _expanded(text, each, alone=len(given) == 1)]
    if not all(chosen):
        raise TsujiError(f"--over {text}: a value is empty")
    if len(set(chosen)) < len(chosen):
        raise TsujiError(f"--over {text}: a value occurs twice")
    return Axis(key, tuple(chosen))


def _expanded(text: str, value: str, *, alone: bool) -> list[str]:
    """Return the values of a range, or the value itself; in a list, only a value of three numbers is a range."""
    parts = value.split(":")
    if len(parts) == 3 and (alone or all(RANGE_END.fullmatch(part.strip()) for part in parts)):
        return _range(text, parts)
    return _split(value) if alone else [value]


def combinations(axes: list[Axis]) -> list[dict[str, str]]:
    """Return every combination of the axes' values; the last axis varies fastest.

    Raises
    ------
    TsujiError
        If two axes have the same key.
    """
    keys = [axis.key for axis in axes]
    if len(set(keys)) < len(keys):
        raise TsujiError(f"--over: {next(key for key in keys if keys.count(key) > 1)} is given twice")
    return [dict(zip(keys, values, strict=True)) for values in product(*(axis.values for axis in axes))]


def _range(text: str, parts: list[str]) -> list[str]:
    """Return start, start + step, … up to stop, in decimal arithmetic: 0.1:0.3:0.1 is 0.1, 0.2, 0.3."""
    try:
        start, stop, step = (Decimal(part.strip()) for part in parts)
        count = int((stop - start) / step) + 1
    except (InvalidOperation, ZeroDivisionError, OverflowError, ValueError) as error:
        raise TsujiError(f"--over {text}: start:stop:step must be numbers, step not 0") from error
    if (stop - start) / step < 0:
        raise TsujiError(f"--over {text}: a step of {step} leads away from {stop}")
    if count > MAX_VALUES:
        raise TsujiError(f"--over {text}: {count} values; at most {MAX_VALUES}")
    return [f"{start + index * step:f}" for index in range(count)]


def _split(values: str) -> list[str]:
    """Split at commas outside of brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in values:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        else:
            depth += (letter in "[{") - (letter in "]}")
        if letter == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
