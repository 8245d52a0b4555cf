import random
from functools import reduce
from operator import xor

import pytest
from pydantic import ValidationError

from cocotb_tests.runner.run_bench import run_bench, seed
from hdl.node.plane_selector import PlaneSelector
from models.params.planes import PlaneParams

TIES = ["lowest", "alternate", "hash"]


def _random_plane(draw: random.Random, bits: int, folded: bool) -> tuple[int, ...]:
    """Return a random basis, with the XOR of all at its end if folded."""
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


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize(
    ("bits", "planes"),
    [
        (1, ((), ())),
        (1, ((), (), ())),
        (3, ((),)),
        (3, ((), (3, 5, 7))),  # the paper's table 1
        (3, ((1, 2, 4, 7), (1, 2, 5, 6))),  # the paper's folded planes
        (4, ((), (), (), (), ())),  # ties of all, of a number that is no power of two
        (4, ((1, 2, 4, 8, 7), (8, 12, 14, 15))),  # folded by less than all, beside one that is not folded
    ],
)
def test_chosen_planes(bits: int, planes: tuple[tuple[int, ...], ...], tie: str) -> None:
    params = PlaneParams.model_validate({"bits": bits, "planes": planes, "tie": tie})
    _run(f"{bits} bits, {planes}, {tie}", params, cycles=5000)


# One plane is chosen whatever the tie.
@pytest.mark.parametrize(("count", "tie"), [(1, "lowest"), *((count, tie) for count in (2, 3) for tie in TIES)])
@pytest.mark.parametrize("folded", [False, True], ids=["plain", "folded"])
def test_random_planes(count: int, folded: bool, tie: str) -> None:
    draw = random.Random(f"{seed()}/{count}/{folded}/{tie}")
    bits = 16 if (count == 2) == folded else draw.randrange(2, 16)
    planes = tuple(_random_plane(draw, bits, folded) for _ in range(count))
    kind = "folded" if folded else "plain"
    params = PlaneParams.model_validate({"bits": bits, "planes": planes, "tie": tie})
    _run(f"{count} {kind} random planes, {bits} bits, {tie}", params, cycles=2500)
