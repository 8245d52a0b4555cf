"""Head delay: heads that wait, leave at once or later, and follow one another without a gap; resets during a wait.

Compared in every cycle in which a head waits.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.lockstep import Bench, Values
from models.buffer.head_delay import delay_began, delay_head, end_delays, head_waits
from models.params import SwitchParams
from models.reset import reset


class HeadDelay:
    """Model: input VC (0, 0) of a switch."""

    def __init__(self, params: SwitchParams) -> None:
        self._state = power_up(params)
        self._cycle = 0
        self._waiting = False
        self.over = False

    def look(self, waits: bool) -> None:
        """Compute whether the head, if there is one, has waited, in the current cycle."""
        end_delays(self._state, 0, self._cycle)
        if waits and not self._waiting:
            delay_head(self._state, 0, 0, 0, self._cycle - 1)
            assert delay_began(self._state, 0)
        self._waiting = waits
        self.over = waits and not head_waits(self._state, 0, 0, 0)

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        expected = int(self.over) if inputs["waits"] else None
        if inputs["leaves"] or inputs["rst"]:
            self._waiting = False
        if inputs["rst"]:
            reset(self._state, 0, self._cycle)
        self._cycle += 1
        return {"over": expected}


@cocotb.test()
async def heads(dut: Any) -> None:
    """Heads leave as soon as possible, or late, or claim a VC first; body flits in between."""
    bench = Bench(dut, "heads")
    model = HeadDelay(SwitchParams(**bench.parameters["switch"]))
    draw = bench.random
    cover = bench.coverage
    cover.require(["leaves at once", "leaves late", "leaves after it has claimed a VC", "the next follows at once"])
    cover.require(["reset as one waits", "body leaves"])
    waiting = owning = followed = False
    late = 0

    def stimulus(cycle: int, seen: Values) -> Values:
        nonlocal waiting, owning, followed, late
        begins = not waiting and not owning and draw.random() < 0.5
        cover.hit("the next follows at once", begins and followed)
        waiting = waiting or begins
        model.look(waiting)
        reset = draw.random() < 0.02
        leaves = draw.random() < 0.4 and (model.over or not waiting)
        claims = not leaves and model.over and draw.random() < 0.3
        cover.hit("leaves at once", leaves and model.over and late == 0)
        cover.hit("leaves late", leaves and late > 1)
        cover.hit("leaves after it has claimed a VC", leaves and owning)
        cover.hit("body leaves", leaves and not waiting and not owning)
        cover.hit("reset as one waits", reset and waiting and not model.over)
        late = late + 1 if model.over and not leaves and not reset else 0
        inputs = {"waits": int(waiting), "leaves": int(leaves), "rst": int(reset)}
        followed = leaves
        owning = (owning or claims) and not leaves and not reset
        waiting = waiting and not leaves and not claims and not reset
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)
