"""Look-ahead: `open` of a crossbar for given available VCs and waiting heads; all bits in every cycle."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from models.params import SwitchParams
from models.route.lookahead import show_open
from models.state.route_word import route_word
from models.state.vc_set import insert


class Lookahead:
    """Model: a crossbar in which input VC (o, w) holds a head for output o."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = golden.power_up(params)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, st = self._params, self._state
        shown = sum(int(st.open[0, w]) << w * params.ports for w in range(params.vcs))
        st.filled[0] = 0
        for o in range(params.ports):
            st.output[0, o].free = inputs[f"available_{o}"]
            for w in range(params.vcs):
                if inputs[f"waits_{w}"] >> o & 1:
                    insert(st, st.filled, 0, o, w)
                st.vc[0, o, w].route = route_word(o, w, w, 0)
        show_open(st, 0)
        if inputs["rst"]:
            st.open[0] = (1 << params.ports) - 1
        return {"open": shown}


@cocotb.test()
async def outputs(dut: Any) -> None:
    """Make outputs available mostly, or seldom, for few heads and many."""
    bench = Bench(dut, "outputs")
    params = SwitchParams(**bench.parameters)
    draw, cover = bench.random, bench.coverage
    cover.require(["all open", "none open", "a head waits for what is available"])

    def stimulus(cycle: int, seen: Values) -> Values:
        # Each phase begins with all, or with none.
        share, waiting = ((1.0, 0.0), (0.8, 0.1), (0.0, 0.5), (0.3, 0.5))[cycle // 50 % 4]
        inputs = {}
        for o in range(params.ports):
            inputs[f"available_{o}"] = sum((draw.random() < share) << w for w in range(params.vcs))
        for w in range(params.vcs):
            inputs[f"waits_{w}"] = sum((draw.random() < waiting) << o for o in range(params.ports))
        inputs["rst"] = int(draw.random() < 0.01)
        cover.hit("all open", seen.get("open") == (1 << params.ports * params.vcs) - 1)
        cover.hit("none open", seen.get("open") == 0)
        cover.hit("a head waits for what is available", inputs["waits_0"] & inputs["available_0"] & 1)
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, Lookahead(params))
