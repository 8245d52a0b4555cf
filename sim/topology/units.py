"""Numbers with units in files: bandwidths and times."""

from __future__ import annotations

import math
import re
import sys

PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "g": 1e9, "T": 1e12, "P": 1e15}
RATES = {"": 1, "b": 1, "bps": 1, "b/s": 1, "bit/s": 1, "bits/s": 1, "bit": 1, "B/s": 8, "Bps": 8}
NANOSECONDS = {"fs": 1e-6, "ps": 1e-3, "ns": 1.0, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}

_QUANTITY = re.compile(r"\s*([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]{1,3})?|\.[0-9]+)\s*([^\W\d_]?[\w/]*)\s*")


def number_of(text: str) -> int | float | str:
    """Return a text as a whole number, else as a number, else as it is."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def bits_per_second(value: object) -> float | None:
    """Return a bandwidth such as 4e11, "400Gbps" or "100 G"; None if it is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if 0 < value <= sys.float_info.max else None
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    for prefix in (match[2][:1], ""):
        unit = match[2][len(prefix) :]
        if prefix in PREFIXES and unit in RATES:
            bits = float(match[1]) * PREFIXES[prefix] * RATES[unit]
            return bits if 0 < bits < math.inf else None
    return None


def nanoseconds(value: object) -> float | None:
    """Return a time such as "0.5us" in ns; None if it is none, or has no unit."""
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[2] not in NANOSECONDS:
        return None
    time = float(match[1]) * NANOSECONDS[match[2]]
    return time if time < math.inf else None
