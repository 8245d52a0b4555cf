"""Counts in a block memory against a list."""

import random

import pytest

from synth.boards.count_table import CountTable
from tests.synth.boards.simulated import run_cycles


@pytest.mark.parametrize(("depth", "width"), [(2, 3), (8, 4), (33, 24)])
def test_counts(depth, width):
    """Runs of the same index, and other indices in between; a reset at the begin and one in the middle."""
    draw = random.Random(f"{depth}/{width}")
    counts = [0] * depth
    expected: list[int | None] = []
    given = []
    pending = None
    for cycle in range(1200):
        rst = cycle < depth or 600 <= cycle < 600 + depth + 1
        index = draw.randrange(depth) if draw.random() < 0.5 or not given else given[-1]["index"]
        inputs = {"rst": rst, "add": draw.random() < 0.6, "index": index, "number": draw.randrange(depth)}
        given.append(inputs)
        expected.append(pending)
        if rst:
            counts, pending = [0] * depth, None
            continue
        place = index if inputs["add"] else inputs["number"]
        pending = counts[place]
        if inputs["add"]:
            counts[index] = (counts[index] + 1) % (1 << width)
    seen = run_cycles(CountTable(depth, width), len(given), given.__getitem__, ["count"])
    compared = [(cycle, want, got["count"]) for cycle, (want, got) in enumerate(zip(expected, seen, strict=True))]
    assert [row for row in compared if row[1] is not None and row[1] != row[2]] == []
    assert max(row[1] or 0 for row in compared) > 2
