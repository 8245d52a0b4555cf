"""Wake hints at random on all channels, beside heads: outputs wanted, and hints sent, in every cycle."""

from __future__ import annotations

from typing import Any

import cocotb
import numpy as np

from cocotb_tests.bfm.golden import power_up, signed, wake_hint_word
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.cases.shared import Case, position_word
from models import formats
from models.jit.compiled import compiled
from models.params import SwitchParams, hint_hops
from models.reset import reset
from models.route.wake_hint import hear_hint, hint_ahead, take_hint
from models.state.registers import SwitchState


@compiled
def _note(sent: np.ndarray, s: int, o: int, hops: int, destination: int, cycle: int) -> None:
    """Note a hint that is on the channel of output `o` from the next cycle on."""
    sent[o, 0] = 1
    sent[o, 1] = hops
    sent[o, 2] = destination


@compiled
def _take(st: SwitchState, sent: np.ndarray) -> None:
    """Write the hint that the switch sends, if any, to `sent` [outputs, 3]: 1, hops, destination."""
    take_hint(st, 0, _note, sent, 0)


class Hints:
    """Model: the hint channels of a switch."""

    def __init__(self, case: Case) -> None:
        self.params = case.params
        self.state = power_up(case.params)
        self.state.position[0] = case.position
        self._shown: dict[int, int] = {}

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        params, st = self.params, self.state
        outputs: dict[str, int | None] = {}
        for o in range(params.first_local):
            outputs[f"hint_out_{o}_valid"] = int(o in self._shown)
            outputs[f"hint_out_{o}_payload"] = self._shown.get(o)
        outputs["hinted"] = int(st.switch[0].hinted)
        st.switch[0].hinted = 0
        for p in range(params.first_local):
            if inputs[f"hint_in_{p}_valid"]:
                hint = formats.unpack(formats.wake_hint(params), inputs[f"hint_in_{p}_payload"])
                hear_hint(st, 0, p, hint.get("hops", 0), signed(hint["destination"]))
        for p in range(params.ports):
            if inputs["complete"] >> p & 1:
                hint_ahead(st, 0, p, signed(inputs[f"address_{p}"]))
        sent = np.zeros((params.first_local, 3), np.int64)
        _take(st, sent)
        if inputs["rst"]:
            reset(st, 0, 0)
        self._shown = (
            {}
            if inputs["rst"]
            else {o: wake_hint_word(params, int(row[1]), int(row[2])) for o, row in enumerate(sent) if row[0]}
        )
        return outputs


@cocotb.test()
async def hints(dut: Any) -> None:
    """Hints and heads, seldom and in all ports at once, to all destinations and beyond."""
    bench = Bench(dut, "hints")
    case = Case(SwitchParams(**bench.parameters["switch"]), tuple(bench.parameters["position"]))
    params, draw, cover = case.params, bench.random, bench.coverage
    hops = hint_hops(params.lpi)
    layout = formats.wake_hint(params)
    cover.require(["a hint wants a link", "sent for a head", "head beside a hint", "wants a link to a node"])
    cover.require(["several hints", "several heads"])
    cover.require(["passed on", "last hop"] if hops > 1 else [])
    alike = 0

    def stimulus(cycle: int, seen: Values) -> Values:
        nonlocal alike
        odds = (0.05, 0.3, 1.0)[cycle // 100 % 3]
        inputs: Values = {"rst": int(draw.random() < 0.01), "position": position_word(case)}
        inputs["complete"] = sum(int(draw.random() < odds) << p for p in range(params.ports))
        if draw.random() < 0.1:
            alike = draw.getrandbits(params.address_bits)
        for p in range(params.ports):
            inputs[f"address_{p}"] = alike if draw.random() < 0.3 else draw.getrandbits(params.address_bits)
        for p in range(params.first_local):
            to = alike if draw.random() < 0.3 else draw.getrandbits(params.address_bits)
            fields = {"hops": draw.randrange(hops), "destination": to}
            inputs[f"hint_in_{p}_valid"] = int(draw.random() < odds)
            inputs[f"hint_in_{p}_payload"] = formats.pack(layout, {field.name: fields[field.name] for field in layout})
            if inputs[f"hint_in_{p}_valid"] and hops > 1:
                cover.hit("last hop", fields["hops"] == 0)
        heard = sum(inputs[f"hint_in_{p}_valid"] for p in range(params.first_local))
        cover.hit("head beside a hint", heard and inputs["complete"])
        cover.hit("several hints", heard > 1)
        cover.hit("several heads", not heard and inputs["complete"].bit_count() > 1)
        cover.hit("a hint wants a link", seen.get("hinted"))
        cover.hit("wants a link to a node", seen.get("hinted", 0) >> params.first_local)
        for o in range(params.first_local):
            if seen.get(f"hint_out_{o}_valid"):
                sent = formats.unpack(layout, seen[f"hint_out_{o}_payload"])
                cover.hit("sent for a head", sent.get("hops", 0) == hops - 1)
                if hops > 1:
                    cover.hit("passed on", sent["hops"] < hops - 1)
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, Hints(case))
