import random
from functools import reduce
from operator import xor

import pytest
from pydantic import ValidationError

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench, seed
from hdl.node.plane_selector import PlaneSelector
from models.params.planes import PlaneParams

TIES = ["lowest", "alternate", "hash"]
CHOSEN: list[tuple[int, tuple[tuple[int, ...], ...]]] = [
    (1, ((), ())),
    (1, ((), (), ())),
    (3, ((),)),
    (3, ((), (3, 5, 7))),  # paper D, table 1
    (3, ((1, 2, 4, 7), (1, 2, 5, 6))),  # the folded planes of paper D
    (4, ((), (), (), (), ())),  # ties of all planes, whose number is no power of two
    (4, ((1, 2, 4, 8, 7), (8, 12, 14, 15))),  # a fold of some generators, beside a plane without a fold
]
TYING = CHOSEN[-3:]
# Number of planes, folded bases, tie; with a single plane the tie does not matter.
RANDOM = [
    (count, folded, tie) for folded in (False, True) for count in (1, 2, 3) for tie in (TIES if count > 1 else TIES[:1])
]


def _random_plane(draw: random.Random, bits: int, folded: bool) -> tuple[int, ...]:
    """Return a random basis; if `folded`, with the XOR of all generators at its end."""
    while True:
        generators = [draw.randrange(1, 1 << bits) for _ in range(bits)]
        generators += [reduce(xor, generators)] if folded else []
        try:
            PlaneParams(bits=bits, planes=(tuple(generators),))
        except ValidationError:
            continue
        return tuple(generators)


def _run(case: str, params: PlaneParams, cycles: int) -> None:
    bench = "cocotb_tests.unit.node.plane_selector.bench"
    run_bench(PlaneSelector(params), bench, case, params.model_dump(), cycles)


@pytest.mark.parametrize(
    ("bits", "planes", "tie"),
    tiered(
        [(bits, planes, tie) for bits, planes in CHOSEN for tie in TIES],
        [(bits, planes, tie) for bits, planes in CHOSEN for tie in (TIES if (bits, planes) in TYING else TIES[:1])],
    ),
)
def test_chosen_planes(bits: int, planes: tuple[tuple[int, ...], ...], tie: str) -> None:
    params = PlaneParams.model_validate({"bits": bits, "planes": planes, "tie": tie})
    _run(f"{bits} bits, {planes}, {tie}", params, cycles=5000)


@pytest.mark.parametrize(
    ("count", "folded", "tie"),
    tiered(RANDOM, [(1, False, "lowest"), (2, False, "hash"), (2, True, "alternate"), (3, True, "lowest")]),
)
def test_random_planes(count: int, folded: bool, tie: str) -> None:
    draw = random.Random(f"{seed()}/{count}/{folded}/{tie}")
    bits = 16 if (count == 2) == folded else draw.randrange(2, 16)
    planes = tuple(_random_plane(draw, bits, folded) for _ in range(count))
    kind = "folded" if folded else "plain"
    params = PlaneParams.model_validate({"bits": bits, "planes": planes, "tie": tie})
    _run(f"{count} {kind} random planes, {bits} bits, {tie}", params, cycles=2500)
