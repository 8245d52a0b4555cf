"""Arbiters: random requests, grants taken or not; the whole sequence of grants of each kind against its model.

Compared in every cycle: the grant, and its number if there is a request. An arbiter with `prefer` is tested with
preferred requesters that request, with others that do not, and without one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Expected, Model, Values
from models.allocate import arbiter


class RoundRobin:
    """Model of the round-robin arbiter as a component."""

    def __init__(self, count: int) -> None:
        self._order = 0

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        requests = _eligible(inputs)
        winner = int(arbiter.round_robin(requests, self._order)) if requests else None
        if inputs["rst"]:
            self._order = 0
        elif winner is not None and inputs["advance"]:
            self._order = int(arbiter.round_robin_next(winner))
        return _outputs(winner)


class Matrix:
    """Model of the matrix arbiter as a component."""

    def __init__(self, count: int) -> None:
        self._rows = arbiter.matrix_at_reset(count)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        requests = _eligible(inputs)
        winner = int(arbiter.matrix(requests, self._rows)) if requests else None
        if inputs["rst"]:
            self._rows = arbiter.matrix_at_reset(len(self._rows))
        elif winner is not None and inputs["advance"]:
            arbiter.matrix_next(self._rows, winner)
        return _outputs(winner)


def _eligible(inputs: Values) -> int:
    """Return the requests among which the order decides: only the preferred one if it requests."""
    requests = inputs["requests"]
    return requests & inputs.get("preferred", 0) or requests


def _outputs(winner: int | None) -> dict[str, Expected]:
    return {"grant": 0 if winner is None else 1 << winner, "winner": winner}


@cocotb.test()
async def random_requests(dut: Any) -> None:
    """Sparse, dense and full requests; frequent and rare `advance`; resets."""
    bench = Bench(dut, "random_requests")
    count = bench.parameters["count"]
    kinds: dict[str, Callable[[int], Model]] = {"round_robin": RoundRobin, "matrix": Matrix}
    model = kinds[bench.parameters["kind"]](count)
    cover = bench.coverage
    cover.require(["all request", "none requests", "granted, not taken", "reset after grants"])
    cover.require(f"grant {i}" for i in range(count))
    prefer = bench.parameters["prefer"]
    cover.require(["preferred", "preferred does not request"] if prefer else [])
    cover.require(["preferred, against others", "preferred, not taken"] if prefer and count > 1 else [])
    draw = bench.random

    def stimulus(cycle: int, seen: Values) -> Values:
        full = (1 << count) - 1
        density = cycle // 64 % 3
        requests = full if draw.random() < 0.05 else draw.randrange(full + 1)
        requests &= full if density else draw.randrange(full + 1)
        requests |= draw.randrange(full + 1) if density == 2 else 0
        inputs = {"requests": requests, "advance": draw.random() < (0.9, 0.5)[cycle // 256 % 2]}
        inputs["rst"] = draw.random() < 0.01
        if prefer:
            first = inputs["preferred"] = 1 << draw.randrange(count) if draw.random() < 0.4 else 0
            cover.hit("preferred", requests & first)
            cover.hit("preferred does not request", first and not requests & first)
            if count > 1:
                cover.hit("preferred, against others", requests & first and requests != first)
                cover.hit("preferred, not taken", requests & first and not inputs["advance"])
        cover.hit("all request", requests == full)
        cover.hit("none requests", requests == 0)
        cover.hit("granted, not taken", requests and not inputs["advance"])
        cover.hit("reset after grants", inputs["rst"] and cycle > 8)
        for i in range(count):
            cover.hit(f"grant {i}", seen.get("grant") == 1 << i)
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)
