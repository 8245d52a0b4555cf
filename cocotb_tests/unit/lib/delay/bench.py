"""Delay line: words in runs, alone and with gaps, with resets; each arrives once, after exactly `cycles` cycles.

The payload changes in every cycle, valid or not, so that a misplaced word is noticed.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.stall import stalls
from models.transfer.link import link_arrival


class DelayLine:
    """Model: a word arrives `cycles` cycles later; reset clears words in flight."""

    def __init__(self, cycles: int) -> None:
        self._cycles = cycles
        self._cycle = 0
        self.under_way: dict[int, int] = {}

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        if inputs["source_valid"]:
            # Visible here in this cycle: granted by its sender in the cycle before.
            self.under_way[int(link_arrival(self._cycle - 1, self._cycles))] = inputs["source_payload"]
        payload = self.under_way.pop(self._cycle, None)
        if inputs["rst"]:
            self.under_way.clear()
        self._cycle += 1
        return {"sink_valid": int(payload is not None), "sink_payload": payload}


@cocotb.test()
async def words(dut: Any) -> None:
    """Gaps of all patterns, and resets."""
    bench = Bench(dut, "words")
    cycles, width = bench.parameters["cycles"], bench.parameters["width"]
    model = DelayLine(cycles)
    pauses = stalls("mixed", bench.random)
    cover = bench.coverage
    cover.require(["word", "gap"])
    cover.require(["line full", "line empty", "reset with words under way"] if cycles else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        inputs = {"source_valid": int(not next(pauses)), "source_payload": bench.random.getrandbits(width)}
        cover.hit("word", inputs["source_valid"])
        cover.hit("gap", not inputs["source_valid"])
        if cycles:
            cover.hit("line full", len(model.under_way) == cycles)
            cover.hit("line empty", not model.under_way)
            inputs["rst"] = int(bench.random.random() < 0.005)
            cover.hit("reset with words under way", inputs["rst"] and model.under_way)
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)
