"""Broken files for tests: a good one with some of its bytes or words changed."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

LOOKS = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
NUMBERS = ["-1", "0", "1", "2", "1e3", "1e400", "nan", "inf", "-5", "0.5", "99999999999999999999", "1_0"]
TEXTS = [
    "",
    "x",
    "é",
    "\0",
    "#",
    "%",
    "/*",
    "//",
    "{",
    "}",
    ",",
    ";",
    '"',
    "init",
    "send",
    "wait",
    "bcast",
    "allgatherv",
]
WORDS = st.sampled_from([*NUMBERS, *TEXTS, "calc", "rank", "num_ranks"])
WORD = re.compile(rb"[^\s,;]+")


@st.composite
def broken(draw: st.DrawFn, good: bytes) -> bytes:
    """Return a good file's bytes after one to four changes."""
    data = good
    for _ in range(draw(st.integers(1, 4))):
        how = draw(st.sampled_from(["word", "bytes", "cut", "line", "repeat"]))
        place = draw(st.integers(0, max(0, len(data) - 1)))
        if how == "word":
            found = WORD.search(data, place)
            begin, end = found.span() if found else (place, place)
            data = data[:begin] + draw(WORDS).encode() + data[end:]
        elif how == "bytes":
            end = place + draw(st.integers(0, 9))
            data = data[:place] + draw(st.binary(max_size=9)) + data[end:]
        elif how == "cut":
            data = data[:place]
        else:
            lines = data.splitlines(keepends=True) or [b""]
            row = place % len(lines)
            lines[row : row + 1] = [] if how == "line" else [lines[row]] * 2
            data = b"".join(lines)
    return data
