"""Queue of births against a list."""

import random

import pytest

from synth.boards.birth_queue import BirthQueue
from tests.synth.boards.simulated import run_cycles


@pytest.mark.parametrize("depth", [2, 8])
def test_words_come_out_in_order_and_at_once(depth):
    """What comes in and what is taken is drawn; in blocks the queue fills, empties, or passes words through."""
    draw = random.Random(depth)
    queue: list[int] = []
    given, expected = [], []
    lost = passed = 0
    for cycle in range(3000):
        often = (0.9, 0.2, 0.5)[cycle // 100 % 3]
        put, word = draw.random() < often, draw.getrandbits(12)
        valid = bool(queue) or put
        take = valid and draw.random() < 0.5
        full = len(queue) == depth
        first = queue[0] if queue else word
        expected.append((valid, first if valid else None, put and full, not queue))
        passed += not queue and put and take
        lost += put and full
        given.append({"rst": 0, "put": put, "word": word, "take": take})
        if put and not full:
            queue.append(word)
        if take:
            queue.pop(0)
    seen = run_cycles(BirthQueue(12, depth), len(given), given.__getitem__, ["valid", "first", "lost", "empty"])
    for cycle, (want, got) in enumerate(zip(expected, seen, strict=True)):
        assert (want[0], want[2], want[3]) == (got["valid"], got["lost"], got["empty"]), cycle
        assert want[1] is None or want[1] == got["first"], cycle
    assert lost > 100
    assert passed > 100


@pytest.mark.parametrize("depth", [0, 1, 3, 12])
@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_other_depths_are_refused(depth):
    with pytest.raises(ValueError, match=f"depth = {depth}: must be a power of two of at least 2"):
        BirthQueue(12, depth)
