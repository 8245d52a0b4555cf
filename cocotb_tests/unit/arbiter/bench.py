"""Arbiters: random requests, with the grant taken or not; whole histories of each kind against its model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cocotb
import numpy as np

from cocotb_tests.bfm.lockstep import Bench, Model, Values
from models import arbiter


class RoundRobin:
    """Model of the round-robin arbiter as a component."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pointer = 0

    def __call__(self, inputs: Values) -> Values:
        """One cycle."""
        requests = inputs["requests"]
        winner = int(arbiter.round_robin(requests, self._pointer)) if requests else -1
        if inputs["rst"]:
            self._pointer = 0
        elif requests and inputs["advance"]:
            self._pointer = int(arbiter.round_robin_next(winner, self._count))
        return {"grant": 1 << winner if requests else 0}


class Matrix:
    """Model of the matrix arbiter as a component."""

    def __init__(self, count: int) -> None:
        self._rows = np.zeros(count, np.int64)
        arbiter.matrix_reset(self._rows)

    def __call__(self, inputs: Values) -> Values:
        """One cycle."""
        requests = inputs["requests"]
        winner = int(arbiter.matrix(requests, self._rows)) if requests else -1
        if inputs["rst"]:
            arbiter.matrix_reset(self._rows)
        elif requests and inputs["advance"]:
            arbiter.matrix_next(self._rows, winner)
        return {"grant": 1 << winner if requests else 0}


@cocotb.test()
async def random_requests(dut: Any) -> None:
    """Sparse, dense and full requests; advance often and rarely; resets."""
    bench = Bench(dut, "random_requests")
    count = bench.parameters["count"]
    kinds: dict[str, Callable[[int], Model]] = {"round_robin": RoundRobin, "matrix": Matrix}
    model = kinds[bench.parameters["kind"]](count)
    cover = bench.coverage
    cover.require(["all request", "none requests", "granted, not taken", "reset after grants"])
    cover.require(f"grant {i}" for i in range(count))
    draw = bench.random

    def stimulus(cycle: int, seen: Values) -> Values:
        full = (1 << count) - 1
        density = cycle // 64 % 3
        requests = full if draw.random() < 0.05 else draw.randrange(full + 1)
        requests &= full if density else draw.randrange(full + 1)
        requests |= draw.randrange(full + 1) if density == 2 else 0
        inputs = {"requests": requests, "advance": draw.random() < (0.9, 0.5)[cycle // 256 % 2]}
        inputs["rst"] = draw.random() < 0.01
        cover.hit("all request", requests == full)
        cover.hit("none requests", requests == 0)
        cover.hit("granted, not taken", requests and not inputs["advance"])
        cover.hit("reset after grants", inputs["rst"] and cycle > 8)
        for i in range(count):
            cover.hit(f"grant {i}", seen.get("grant") == 1 << i)
        return inputs

    await bench.start()
    await bench.lockstep(bench.cycles, stimulus, model)
