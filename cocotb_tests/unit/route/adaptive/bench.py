"""Adaptive routing: selection register of one input VC.

Compared in every cycle: `valid`, and while valid the choice; of a dropped route only the drop, of a route taken by a
bypass only the output; `go` while a head requests an output.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Bench, Expected, Partly, Values
from hdl.formats import open_route
from models.params import SwitchParams
from models.route.adaptive import adaptive_choose, adaptive_install, adaptive_taken, choice_range
from models.route.reservation import reserve_install, reserve_word
from models.route.route_queue import checked
from models.state.registers import ASKED, GRANTED, UNASKED, SwitchState
from models.state.route_word import MAY_ASK_BIT, route_drop, route_may_ask, route_out, route_waits, route_word
from models.state.vc_set import insert


class Adaptive:
    """Model: input VC of a switch whose outputs have the state given by the inputs."""

    def __init__(self, params: SwitchParams, port: int, vc: int) -> None:
        self._params, self._port, self._vc = params, port, vc
        self._state = golden.power_up(params)
        self._range = choice_range(self._state, 0, port, vc)
        self._taken = False
        self.word = 0  # front route, which the inputs contain in packed form

    @property
    def state(self) -> SwitchState:
        """The switch."""
        return self._state

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, st, p, v = self._params, self._state, self._port, self._vc
        vc = st.vc[0, p, v]
        chosen = int(vc.route)
        outputs: dict[str, Expected] = {"valid": int(chosen != 0), "chosen": None}
        if chosen:
            output = Partly(1 << int(route_out(chosen)), (1 << params.ports) - 1)
            outputs["chosen"] = output if self._taken else golden.front_route(params, chosen)
        if params.lookahead:
            outputs["go"] = 1 - int(route_waits(chosen)) if chosen and not route_drop(chosen) else None
        if params.reserves:
            state = int(st.reservation[0, p, v])
            outputs["may_ask"] = int(route_may_ask(chosen)) if chosen else None
            outputs |= {"awaits": int(state == ASKED), "granted": int(state == GRANTED)}
        first, last = self._range
        for o in range(params.ports):
            st.output[0, o].free = (2 << last) - (1 << first) if inputs["open"] >> o & 1 else 0
            st.credits[0, o] = 0
            if first < params.vcs:
                st.credits[0, o, first] = inputs.get(f"credits_{o}", 0)
        st.filled[0] = 0
        insert(st, st.filled, 0, p, v)
        st.routes[0, p, v, 0] = self.word if inputs["ready"] else 0
        vc.active = 0
        if params.reserves:
            self._reserve(inputs, chosen)
        count = 0 if inputs["keep"] else adaptive_choose(st, 0)
        if not inputs["keep"] and not inputs["ready"]:
            vc.route = 0
        adaptive_install(st, 0, count, 0)
        if params.reserves:
            reserve_install(st, 0)
        self._taken &= bool(inputs["keep"])
        if inputs["leaves"] or inputs["rst"]:
            vc.route = 0
            if params.reserves:
                st.reservation[0, p, v] = UNASKED
        if inputs.get("taken_valid") and not inputs["rst"]:
            adaptive_taken(st, 0, p, v, inputs["taken"].bit_length() - 1)
            self._taken = True
        return outputs

    def _reserve(self, inputs: Values, chosen: int) -> None:
        """Make the head request its path, or answer a request."""
        st, p, v = self._state, self._port, self._vc
        out = int(route_out(chosen))
        if inputs["answered"] and out < self._params.first_local:
            st.reserve_answers[0, out] = reserve_word(inputs["grants"], self._range[0], 0)
        if inputs["asked"]:
            st.reservation[0, p, v] = ASKED
            st.vc[0, p, v].route = chosen & ~MAY_ASK_BIT

    def may(self) -> tuple[bool, bool]:
        """Return whether the head may request its path in this cycle, and whether it awaits an answer."""
        st, p, v = self._state, self._port, self._vc
        word = int(st.vc[0, p, v].route)
        return bool(word and route_may_ask(word)), bool(st.reservation[0, p, v] == ASKED)


@cocotb.test()
async def choices(dut: Any) -> None:
    """Random routes; outputs that open and close; heads that stay, leave, or bypass."""
    bench = Bench(dut, "choices")
    params = SwitchParams(**bench.parameters["switch"])
    port, vc = bench.parameters["port"], bench.parameters["vc"]
    model = Adaptive(params, port, vc)
    first = choice_range(model.state, 0, port, vc)[0]
    draw, cover = bench.random, bench.coverage
    cover.require(["one open", "none open", "kept", "left", "dropped", "not ready"])
    cover.require(["several open"] if min(params.first_local, params.ports - 1) > 1 else [])
    cover.require(["taken"] if params.prediction else [])
    cover.require(["asked", "granted", "denied"] if params.reserves else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        word = route_word(
            draw.randrange(params.ports), 0, params.vcs - 1, draw.random() < 0.1, draw.getrandbits(params.ports)
        )
        if params.lookahead:
            # If there are choices, the deterministic output is one of them.
            out = draw.randrange(params.ports)
            word = route_word(
                out, 0, 0, 0, draw.getrandbits(params.first_local) | 1 << out if out < params.first_local else 0
            )
        model.word = word = int(checked(model.state, 0, port, vc, word))
        packed = golden.open_route(params, word, 0)
        layout = open_route(params)
        dropped = not isinstance(packed, int)
        # Choices of a dropped route do not count.
        route = packed if isinstance(packed, int) else draw.getrandbits(layout.size - params.ports) << params.ports
        opened = draw.getrandbits(params.ports) & (draw.getrandbits(params.ports) if draw.random() < 0.7 else 0)
        opened = opened if first < params.vcs else 0
        mine = opened & word >> 17
        inputs = {"ready": int(draw.random() < 0.9), "route": route, "open": opened}
        inputs |= {"keep": int(draw.random() < 0.3), "leaves": 0, "rst": int(draw.random() < 0.01)}
        if inputs["keep"]:
            inputs["leaves"] = draw.getrandbits(1)
        if params.adaptive is not None and params.adaptive.selection == "credits":
            # Few different values, so that some are equal.
            most = params.depth * params.vcs
            inputs |= {f"credits_{o}": min(most, draw.randrange(4)) for o in range(params.ports)}
        if params.prediction:
            taken = inputs["keep"] and draw.random() < 0.2
            others = [o for o in range(params.ports) if params.u_turn or o != port]
            inputs |= {"taken_valid": int(taken), "taken": 1 << draw.choice(others)}
            cover.hit("taken", taken)
        if params.reserves:
            # A head that requests a path or awaits an answer owns no VC; its route stays ready while it is there.
            may_ask, awaits = model.may()
            asked = may_ask and draw.random() < 0.5
            if awaits or asked:
                inputs |= {"keep": 0, "leaves": 0}
            if awaits or asked or seen.get("granted") or seen.get("awaits"):
                inputs["ready"] = 1
            inputs |= {
                "asked": int(asked),
                "answered": int(awaits and draw.random() < 0.3),
                "grants": draw.getrandbits(1),
            }
            cover.hit("asked", asked)
            cover.hit("granted", inputs["answered"] and inputs["grants"])
            cover.hit("denied", inputs["answered"] and not inputs["grants"])
        chooses = inputs["ready"] and not inputs["keep"] and not dropped
        cover.hit("one open", chooses and mine and not mine & (mine - 1))
        cover.hit("none open", chooses and not mine)
        if "several open" in cover.bins:
            cover.hit("several open", chooses and mine & (mine - 1))
        cover.hit("kept", inputs["keep"])
        cover.hit("left", inputs["leaves"])
        cover.hit("dropped", dropped)
        cover.hit("not ready", not inputs["ready"])
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)
