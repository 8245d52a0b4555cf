"""Reservation: requests of exchangers and answers of crossbars; all outputs in every cycle, payloads where valid."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from models import formats
from models.params import SwitchParams
from models.reset import reset
from models.route.adaptive import step_vc
from models.route.reservation import (
    reserve_answer,
    reserve_ask,
    reserve_granted,
    reserve_output,
    reserve_release,
    reserve_vc,
    reserve_word,
)
from models.state.registers import GRANTED, UNASKED
from models.state.route_word import MAY_ASK_BIT, WAIT_BIT, route_word
from models.state.vc_set import insert


class Reservations:
    """Model: a crossbar in which input VC (o, w) holds a head for output o."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = golden.power_up(params)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, st = self._params, self._state
        outputs: dict[str, Expected] = {}
        for p in range(params.ports):
            answer = int(st.reserve_answers[0, p])
            outputs[f"answer_{p}_valid"] = answer & 1
            outputs[f"answer_{p}_payload"] = (
                int(reserve_vc(answer)) | int(reserve_granted(answer)) << params.vc_bits if answer else None
            )
            outputs[f"reserved_{p}"] = sum((int(st.reserved[0, w]) >> p & 1) << w for w in range(params.vcs))
        st.filled[0] = 0
        for o in range(params.ports):
            st.output[0, o].free = inputs[f"available_{o}"]
            fields = formats.unpack(formats.reserve_request(params, params.ports), inputs[f"reserve_{o}_payload"])
            word = reserve_word(0, fields["vc"], fields["output"]) if inputs[f"reserve_{o}_valid"] else 0
            st.reserve_requests[0, o] = word
            for w in range(params.vcs):
                if inputs[f"waits_{w}"] >> o & 1:
                    insert(st, st.filled, 0, o, w)
                st.vc[0, o, w].route = route_word(o, w, w, 0)
        reserve_answer(st, 0)
        for o in range(params.ports):
            if inputs[f"sent_{o}"]:
                reserve_release(st, 0, 0, 0, o, inputs[f"sent_{o}"].bit_length() - 1, 0)
        if inputs["rst"]:
            reset(st, 0, 0)
        return outputs


class Asker:
    """Model: an exchanger with heads that may request a path in one dimension, or have requested it."""

    def __init__(self, params: SwitchParams, dimension: int) -> None:
        self._params, self._dimension = params, dimension
        self._state = golden.power_up(params)
        self._shift = sum(params.coordinate_bits[:dimension])

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, st, d = self._params, self._state, self._dimension
        word = int(st.reserve_requests[0, d])
        outputs: dict[str, Expected] = {
            "reserve_valid": word & 1,
            "reserve_payload": int(reserve_vc(word)) | int(reserve_output(word)) << params.vc_bits if word else None,
        }
        st.filled[0] = 0
        for p in range(params.ports):
            for v in range(params.vcs):
                asks, holds = inputs[f"asks_{p}"] >> v & 1, inputs[f"holds_{p}"] >> v & 1
                st.vc[0, p, v].route = route_word(d, 0, 0, 0) | WAIT_BIT | (MAY_ASK_BIT if asks else 0)
                st.reservation[0, p, v] = GRANTED if holds and step_vc(st, 0, p, v) < params.vcs else UNASKED
                st.targets[0, p, v, 0] = inputs[f"target_{p}_{v}"] << self._shift
                if asks:
                    insert(st, st.filled, 0, p, v)
        before = st.reservation[0].copy()
        reserve_ask(st, 0)
        asked = (st.reservation[0] != before) & (before == UNASKED)
        for p in range(params.ports):
            outputs[f"asked_{p}"] = sum(int(asked[p, v]) << v for v in range(params.vcs))
        if inputs["rst"]:
            reset(st, 0, 0)
        return outputs


@cocotb.test()
async def reservations(dut: Any) -> None:
    """Request outputs that are free, taken, waited for or reserved; several requests at once for one output."""
    bench = Bench(dut, "reservations")
    params = SwitchParams(**bench.parameters["switch"])
    if params.crossbar is None:
        await _askers(bench, params)
        return
    draw, cover = bench.random, bench.coverage
    cover.require(["granted", "denied", "several for one output", "reserved", "sent"])

    def stimulus(cycle: int, seen: Values) -> Values:
        busy = (0.05, 0.3, 0.6)[cycle // 100 % 3]
        inputs: Values = {"rst": int(draw.random() < 0.01)}
        outputs = []
        for p in range(params.ports):
            inputs[f"available_{p}"] = sum((draw.random() >= busy / 2) << w for w in range(params.vcs))
            inputs[f"reserve_{p}_valid"] = int(draw.random() < 0.4)
            wanted = {"vc": draw.randrange(params.vcs), "output": draw.randrange(params.ports)}
            outputs += [wanted["output"]] if inputs[f"reserve_{p}_valid"] else []
            layout = formats.reserve_request(params, params.ports)
            inputs[f"reserve_{p}_payload"] = formats.pack(layout, wanted)
            inputs[f"sent_{p}"] = 1 << draw.randrange(params.vcs) if draw.random() < busy else 0
            cover.hit("sent", inputs[f"sent_{p}"] & seen.get(f"reserved_{p}", 0))
            cover.hit("reserved", seen.get(f"reserved_{p}"))
            granted = seen.get(f"answer_{p}_payload", 0) >> params.vc_bits & 1
            cover.hit("granted", seen.get(f"answer_{p}_valid") and granted)
            cover.hit("denied", seen.get(f"answer_{p}_valid") and not granted)
        for w in range(params.vcs):
            inputs[f"waits_{w}"] = sum((draw.random() < busy / 2) << o for o in range(params.ports))
        cover.hit("several for one output", len(set(outputs)) < len(outputs))
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, Reservations(params))


async def _askers(bench: Bench, params: SwitchParams) -> None:
    """Heads that may request VCs that other heads have requested or were granted."""
    dimension = bench.parameters["dimension"]
    draw, cover = bench.random, bench.coverage
    cover.require(["one asks", "several ask", "none may for others"])
    steps = [
        (p, v) for p in range(params.ports) for v in range(params.vcs) if p >= params.first_local or v + 1 < params.vcs
    ]

    def stimulus(cycle: int, seen: Values) -> Values:
        inputs: Values = {"rst": int(draw.random() < 0.01)}
        asking, held = (0.1, 0.05) if cycle // 100 % 2 else (0.6, 0.3)
        asks = {at for at in steps if draw.random() < asking}
        holds = {at for at in steps if at not in asks and draw.random() < held}
        for p in range(params.ports):
            inputs[f"asks_{p}"] = sum(1 << v for v in range(params.vcs) if (p, v) in asks)
            inputs[f"holds_{p}"] = sum(1 << v for v in range(params.vcs) if (p, v) in holds)
            for v in range(params.vcs):
                inputs[f"target_{p}_{v}"] = draw.randrange(params.radix[dimension])
        asked = any(seen.get(f"asked_{p}") for p in range(params.ports))
        cover.hit("one asks", len(asks) == 1)
        cover.hit("several ask", len(asks) > 1)
        cover.hit("none may for others", cycle and not asked)
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, Asker(params, dimension))
