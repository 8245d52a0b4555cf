"""Functional coverage of the route unit: results of headers, and events on their way."""

from __future__ import annotations

import math

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.coverage import Coverage
from cocotb_tests.bfm.lockstep import Expected, Values
from cocotb_tests.unit.route.route_unit.model import RouteUnit, Snapshot
from models import formats
from models.params import SwitchParams
from models.route.header import COMPLETE, MALFORMED
from models.state.registers import WALK
from models.state.route_word import route_drop, route_word

DRAINED = int(route_word(0, 0, 0, 1))


class Watched:
    """The model, with coverage of each of its cycles.

    Parameters
    ----------
    model : RouteUnit
        The model.
    cover : Coverage
        Coverage in which to count.
    params : SwitchParams
        Decides which bins can be hit.
    port : int
        Number of the input port.
    """

    def __init__(self, model: RouteUnit, cover: Coverage, params: SwitchParams, port: int) -> None:
        self._model, self._cover, self._params, self._port = model, cover, params, port
        all_nodes_exist = math.prod(params.radix) * params.local_ports == 1 << params.address_bits
        cover.require(["followed", "all fronts ready", "reset with routes"])
        cover.require(["malformed"] if params.header_flits > 1 else [])
        cover.require(["u-turn followed" if params.u_turn else "u-turn dropped"])
        if params.ring_classes == "fixed":
            cover.require(["straight on in the lower class", "straight on in the upper class"])
        if params.has_cam:
            self._require_table()
        elif params.linear:
            cover.require(["no such node", "no such port", "vc_first > vc_last", "no such VC"])
        elif not all_nodes_exist:
            cover.require(["no such node"])
        if not (params.radix and params.u_turn and all_nodes_exist and params.header_flits == 1):
            cover.require(["dropped"])

    def _require_table(self) -> None:
        cover, params = self._cover, self._params
        cover.require(["found", "not found", "refused"])
        cover.require(["no such port"] if params.ports < 1 << params.port_bits else [])
        cover.require(["vc_first > vc_last"] if params.vcs > 1 else [])
        cover.require(["no such VC"] if params.vcs < 1 << params.vc_bits else [])
        cover.require(["merged"] if params.slots > 1 else [])
        cover.require(["walk stalled"] if params.slots > 1 and (params.has_cache or params.header_flits > 1) else [])
        if params.has_cache:
            cover.require(["hit", "miss", "evicted", "hit of a route that is dropped", "lookup while flushing"])
            cover.require(["flush with a lookup under way", "stale answer"])
            cover.require(["hit passes headers that wait", "missed just before the fill"] if params.slots > 1 else [])

    def _hit(self, name: str, happened: object) -> None:
        """Count an event if it can happen with these parameters."""
        if happened and name in self._cover.bins:
            self._cover.hit(name)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        model, params = self._model, self._params
        fronts = [model.front(vc) for vc in range(params.vcs)]
        before = model.snapshot() if params.has_cam else None
        outputs = model(inputs)
        self._hit("all fronts ready", all(fronts))
        self._hit("reset with routes", inputs["rst"] and any(fronts))
        self._hit("malformed", model.header == MALFORMED)
        if inputs["releases"]:
            self._released(fronts[inputs["releases"].bit_length() - 1])
        if before is None:
            self._hit("no such node", model.header == COMPLETE and model.newest == DRAINED)
            if params.linear and model.header == COMPLETE:
                self._impossible(golden.fields(params, model.newest))
        else:
            self._answered(inputs)
            self._hit("refused", outputs["request_valid"] and not inputs["granted"])
            self._hit("merged", outputs["merged"])
            direct = outputs["hit"] or before.malformed if params.has_cache else model.header == MALFORMED
            self._hit("walk stalled", direct and before.phase == WALK and before.examined)
            if params.has_cache:
                self._cached(inputs, outputs, before)
        return outputs

    def _released(self, word: int) -> None:
        dropped = route_drop(word)
        self._hit("dropped" if dropped else "followed", True)
        route = golden.fields(self._params, word)
        if not self._params.has_cam and route["out"] == self._port:
            self._hit("u-turn dropped" if dropped else "u-turn followed", True)
        if route["out"] == self._port ^ 1 and not dropped:
            self._hit(f"straight on in the {'upper' if route['vc_first'] else 'lower'} class", True)

    def _answered(self, inputs: Values) -> None:
        if not inputs["answer_valid"]:
            return
        answer, params = formats.unpack(golden.port_answer(self._params), inputs["answer"]), self._params
        self._hit("found" if answer["found"] else "not found", True)
        if answer["found"]:
            vcs_exist = answer["vc_first"] <= answer["vc_last"] < params.vcs
            turn = "u-turn followed" if params.u_turn else "u-turn dropped"
            self._hit(turn, answer["out"] == self._port and vcs_exist)
            self._impossible(answer)

    def _impossible(self, route: dict[str, int]) -> None:
        """Count the reason why a programmed route is invalid."""
        self._hit("no such port", route["out"] >= self._params.ports)
        self._hit("vc_first > vc_last", route["vc_first"] > route["vc_last"])
        self._hit("no such VC", route["vc_last"] >= self._params.vcs)

    def _cached(self, inputs: Values, outputs: dict[str, Expected], before: Snapshot) -> None:
        for name in ("hit", "miss", "evicted"):
            self._hit(name, outputs[name])
        self._hit("hit of a route that is dropped", outputs["hit"] and route_drop(self._model.route(before.slot)))
        self._hit("hit passes headers that wait", outputs["hit"] and before.pending)
        self._hit("lookup while flushing", outputs["miss"] and outputs["flushing"])
        self._hit("flush with a lookup under way", inputs["flush"] and before.looked_up)
        answered = inputs["answer_valid"] and inputs["answer"] & 1
        self._hit("stale answer", answered and not self._model.snapshot().filling)
        # Handed over in the second WALK cycle: looked up in the cycle of the fill.
        late = before.phase == WALK and before.walked == 1
        self._hit("missed just before the fill", late and before.handed_tag == before.active_tag)
