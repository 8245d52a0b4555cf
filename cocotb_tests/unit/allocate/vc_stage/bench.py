"""VC stage: random heads that request random VCs of random outputs; the allocation in every cycle.

Few and many heads, one output that all want, VC ranges as routes have them; resets. The number of a VC is compared only
for heads that are allocated one.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.lockstep import Bench, Values
from hdl import formats
from models.allocate.vc_stage import vc_stage_choose, vc_stage_claim
from models.params import SwitchParams
from models.reset import reset
from models.state.route_word import route_out, route_vcs, route_word
from models.state.vc_set import insert


class VcStage:
    """Model: a switch that has, in each cycle, the heads and free VCs from which the inputs were drawn."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self.state = power_up(params)
        self._cycle = 0

    def heads(self, words: dict[tuple[int, int], int], free: list[int]) -> Values:
        """Set the heads, by input VC, and the free VCs of each output; return the inputs."""
        params, st = self._params, self.state
        st.heads[0] = 0
        inputs: Values = {}
        for o, mask in enumerate(free):
            st.output[0, o].free = mask
        for (i, v), word in words.items():
            st.vc[0, i, v].route = word
            st.vc[0, i, v].active = 0
            insert(st, st.heads, 0, i, v)
            inputs[f"want_{i}_{v}"] = 1 << route_out(word)
            inputs[f"ask_{i}_{v}"] = free[route_out(word)] & route_vcs(word)
        every = ((i, v) for i in range(params.ports) for v in range(params.vcs))
        rest = {f"{name}_{i}_{v}": 0 for i, v in every for name in ("want", "ask")}
        return rest | inputs

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        params, st = self._params, self.state
        vc_stage_choose(st, 0)
        asked = int(st.switch[0].asked)
        before = [int(st.output[0, o].free) for o in range(params.ports)]
        vc_stage_claim(st, 0)
        outputs: dict[str, int | None] = {"asked": asked} if params.prediction else {}
        for i in range(params.ports):
            claims = 0
            for v in range(params.vcs):
                gets = bool(st.vc[0, i, v].active) and inputs[f"ask_{i}_{v}"] != 0
                claims |= gets << v
                outputs[f"claimed_vc_{i}_{v}"] = int(st.vc[0, i, v].out_vc) if gets else None
            outputs[f"claims_{i}"] = claims
        for o in range(params.ports):
            outputs[f"taken_{o}"] = before[o] & ~int(st.output[0, o].free)
        if inputs["rst"]:
            reset(st, 0, self._cycle)
        self._cycle += 1
        return outputs


@cocotb.test()
async def heads(dut: Any) -> None:
    """Heads and free VCs drawn anew in each cycle."""
    bench = Bench(dut, "heads")
    params = SwitchParams(**bench.parameters["switch"])
    model = VcStage(params)
    draw = bench.random
    cover = bench.coverage
    cover.require(["one head", "all VCs of a port ask", "several for one output", "none"])
    cover.require(["asks for a part of the VCs", "several heads of an output get one"] if params.vcs > 1 else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        many = (0.02, 0.2, 0.9)[cycle // 50 % 3]
        favourite = draw.randrange(params.ports) if cycle // 150 % 2 else None
        words = {}
        for i in range(params.ports):
            ways = formats.outputs(params, i)
            for v in range(params.vcs):
                if draw.random() < many:
                    out = favourite if favourite in ways else draw.choice(ways)
                    first, last = sorted(draw.choices(range(params.vcs), k=2)) if draw.random() < 0.5 else (0, None)
                    words[i, v] = route_word(out, first, params.vcs - 1 if last is None else last, 0)
        free = [draw.getrandbits(params.vcs) | draw.getrandbits(params.vcs) for _ in range(params.ports)]
        inputs = model.heads(words, free)
        asking = [key for key, word in words.items() if free[route_out(word)] & route_vcs(word)]
        outs = [route_out(words[key]) for key in asking]
        cover.hit("one head", len(asking) == 1)
        cover.hit("none", not asking)
        per_port = [sum(i == p for i, _ in asking) for p in range(params.ports)]
        cover.hit("all VCs of a port ask", max(per_port) == params.vcs)
        cover.hit("several for one output", len(set(outs)) < len(outs))
        if params.vcs > 1:
            parts = [inputs[f"ask_{i}_{v}"] for i, v in asking if inputs[f"ask_{i}_{v}"] != (1 << params.vcs) - 1]
            cover.hit("asks for a part of the VCs", parts)
            crowded = any(outs.count(o) > 1 and free[o].bit_count() > 1 for o in outs)
            cover.hit("several heads of an output get one", crowded)
        return inputs | {"rst": int(draw.random() < 0.01)}

    await bench.start()
    await bench.random_traffic(stimulus, model)
