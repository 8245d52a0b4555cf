"""Predictor: routes of an input port's packets, periodic, in runs and random; the prediction in every cycle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.cases.case import Case, position_word
from hdl import formats
from models.params import SwitchParams
from models.predict.predictor import predicted, predictor_update
from models.reset import reset
from models.state.registers import NO_PORT


class Predictor:
    """Model: predictor of one input port of a switch at a position."""

    def __init__(self, params: SwitchParams, port: int, position: Sequence[int] = ()) -> None:
        self._state = power_up(params, position)
        self._port = port
        self._cycle = 0

    def named(self) -> int:
        """Return the output predicted in the current cycle, one-hot."""
        out = predicted(self._state, 0, self._port, self._cycle)
        return 0 if out == NO_PORT else 1 << int(out)

    def __call__(self, inputs: Values) -> Values:
        """One cycle."""
        named = self.named()
        if inputs["update"]:
            predictor_update(self._state, 0, self._port, inputs["want"].bit_length() - 1, self._cycle)
            assert self.named() == named, "an update is seen in its own cycle"
        if inputs["rst"]:
            reset(self._state, 0, self._cycle)
        self._cycle += 1
        return {"named": named}


@cocotb.test()
async def routes(dut: Any) -> None:
    """Packets to random outputs, to one for a while, to few in turn; resets."""
    bench = Bench(dut, "routes")
    params, port = SwitchParams(**bench.parameters["switch"]), bench.parameters["port"]
    position = tuple(bench.parameters["position"])
    assert params.prediction is not None
    kind = params.prediction.kind
    model = Predictor(params, port, position)
    draw, cover = bench.random, bench.coverage
    outs = formats.outputs(params, port)
    local = params.predicts_local and port >= params.first_predicted_local
    always = kind == "static" and (port < params.straight_ports or local)
    never = kind == "static" and not always
    cover.require(["reset", "quiet"])
    cover.require(["not known"] if not always else [])
    cover.require([] if never else ["right", "wrong"])
    cover.require([] if always or never else ["known at a reset", "right in turn"])
    turns = [outs]

    def stimulus(cycle: int, seen: Values) -> Values:
        phase = cycle // 100 % 4
        if cycle % 100 == 0:
            # Random; one output; two and three outputs in turn.
            turns[0] = outs if phase == 0 else draw.sample(outs, min(phase, len(outs)))
        out = turns[0][cycle % len(turns[0])] if phase else draw.choice(outs)
        update = phase > 1 or draw.random() < 0.7
        named = model.named()
        inputs = {"update": int(update), "want": 1 << out if update or draw.random() < 0.5 else 0}
        inputs["rst"] = int(draw.random() < 0.004)
        if position:
            inputs["position"] = position_word(Case(params, position))
        cover.hit("reset", inputs["rst"])
        cover.hit("quiet", not update)
        if not always:
            cover.hit("not known", not named)
        if not never:
            cover.hit("right", update and named == 1 << out)
            cover.hit("wrong", update and named and named != 1 << out)
        if not always and not never:
            cover.hit("known at a reset", inputs["rst"] and named)
            cover.hit("right in turn", named == 1 << out and (phase > 1 or kind == "latest"))
        return inputs

    await bench.start()
    await bench.lockstep(bench.cycles, stimulus, model)


@cocotb.test()
async def turns(dut: Any) -> None:
    """Packets to two outputs in turn: after one period the history alone tells the next output."""
    bench = Bench(dut, "turns")
    params, port = SwitchParams(**bench.parameters["switch"]), bench.parameters["port"]
    assert params.prediction is not None
    outs = formats.outputs(params, port)
    if params.prediction.kind != "history" or len(outs) < 2:
        return
    order = params.prediction.order or 2

    def stimulus(cycle: int, seen: Values) -> Values:
        # `seen` has the prediction of the cycle before, for the route of that cycle.
        if cycle > order + 3:
            assert seen["named"] == 1 << outs[(cycle - 1) % 2], f"cycle {cycle - 1}"
        return {"update": 1, "want": 1 << outs[cycle % 2]}

    await bench.start()
    await bench.lockstep(50, stimulus, Predictor(params, port))
