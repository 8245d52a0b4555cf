"""Route queue: claims in packet order, writes in any order, releases at the front; all three in one cycle.

Compared: the slot of each claim, VCs whose front route is ready, and these routes as a whole, dropped ones included.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from cocotb_tests.bfm.stall import stalls
from models import formats
from models.params import SwitchParams
from models.reset import reset
from models.route import route_queue
from models.state.route_word import route_drop, route_word


class RouteQueue:
    """Model of the route queue of input port 0 as a component."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self.state = golden.power_up(params)

    def front(self, vc: int) -> int:
        """Return the word of the front route of a VC in the next cycle; 0 while it is not ready."""
        return int(route_queue.route_at(self.state, 0, 0, vc, self.state.vc[0, 0, vc].front))

    def ready(self, vc: int) -> bool:
        """Return whether the front route of a VC is ready."""
        return bool(self.front(vc))

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """Advance by one cycle, in the order of a switch: a packet leaves, a header arrives, a route is written."""
        params, state = self._params, self.state
        outputs: dict[str, Expected] = {"ready": 0, "claim_slot": None}
        for vc in range(params.vcs):
            ready = self.ready(vc)
            outputs["ready"] |= ready << vc  # type: ignore[operator]
            outputs[f"front_{vc}"] = golden.route_or_drop(params, self.front(vc)) if ready else None
        for vc in range(params.vcs):
            if inputs["releases"] >> vc & 1:
                route_queue.release(state, 0, 0, vc, 0)
        if inputs["claim_valid"]:
            vc = inputs["claim_vc"]
            outputs["claim_slot"] = vc * params.depth + int(route_queue.claim_position(state, 0, 0, vc))
        if inputs["write_valid"]:
            route = formats.unpack(formats.route_or_drop(params), inputs["write_route"])
            word = int(route_word(**route))
            vc = inputs["write_slot"] // params.depth
            assert word == route_queue.checked(state, 0, 0, vc, word), "the route unit writes no such route"
            route_queue.write(state, 0, 0, inputs["write_slot"], word, 0)
        if inputs["rst"]:
            reset(state, 0, 0)
        return outputs


class Traffic:
    """Packets of a port: the claims, writes and releases possible in a cycle, and a random choice of them.

    Parameters
    ----------
    bench : Bench
        Random numbers and coverage.
    params : SwitchParams
        With routing = "dimension_order" each claim is written in its own cycle.
    model : RouteQueue
        Tells which routes are ready.
    """

    def __init__(self, bench: Bench, params: SwitchParams, model: RouteQueue) -> None:
        self._params, self._model, self._random, self._cover = params, model, bench.random, bench.coverage
        self._pauses = {name: stalls("mixed", bench.random) for name in ("claim", "write", "release")}
        self._at_once = params.routing == "dimension_order"
        self._require()
        self._reset()

    def _require(self) -> None:
        cover, depth = self._cover, self._params.depth
        cover.require(["full", "written when claimed", "release", "dropped", "followed", "reset with routes"])
        cover.require(["claim and release of a VC in one cycle", "next is ready at once"] if depth > 1 else [])
        if not self._at_once:
            cover.require(["written later"])
            cover.require(["all three in one cycle"] if self._params.slots > 1 else [])
            cover.require(["out of order", "next is not ready", "next written before front"] if depth > 1 else [])

    def _reset(self) -> None:
        self._packets = [0] * self._params.vcs
        self._tails = [0] * self._params.vcs
        self._unwritten: list[list[int]] = [[] for _ in range(self._params.vcs)]

    def __call__(self, cycle: int, seen: Values) -> Values:
        """Return the inputs of a cycle."""
        draw, cover, params = self._random, self._cover, self._params
        inputs: Values = {}
        ready = [vc for vc in range(params.vcs) if self._model.ready(vc)]
        room = [vc for vc in range(params.vcs) if self._packets[vc] < params.depth]
        cover.hit("full", len(room) < params.vcs)
        # A run of cycles prefers one VC, so that its queue fills and empties.
        favourite = cycle // 50 % params.vcs
        if room and not next(self._pauses["claim"]):
            self._claim(inputs, favourite if favourite in room else draw.choice(room))
        if not self._at_once and not next(self._pauses["write"]):
            self._write(inputs)
        if ready and not next(self._pauses["release"]):
            self._release(inputs, draw.choice(ready))
        if not self._at_once and params.slots > 1:
            cover.hit("all three in one cycle", {"claim_valid", "write_valid", "releases"} <= inputs.keys())
        if draw.random() < 0.01:
            cover.hit("reset with routes", bool(ready))
            inputs["rst"] = 1
            self._reset()
        return inputs

    def _claim(self, inputs: Values, vc: int) -> None:
        slot = vc * self._params.depth + self._tails[vc]
        self._tails[vc] = (self._tails[vc] + 1) % self._params.depth
        self._packets[vc] += 1
        self._unwritten[vc].append(slot)
        inputs |= {"claim_valid": 1, "claim_vc": vc}
        if self._at_once:
            self._put(inputs, vc, slot)

    def _write(self, inputs: Values) -> None:
        waiting = [vc for vc, slots in enumerate(self._unwritten) if slots]
        if waiting:
            vc = self._random.choice(waiting)
            order = self._random.choice([0, -1, self._random.randrange(len(self._unwritten[vc]))])
            self._put(inputs, vc, self._unwritten[vc][order])

    def _put(self, inputs: Values, vc: int, slot: int) -> None:
        draw, cover, params, state = self._random, self._cover, self._params, self._model.state
        layout = formats.route(params)
        word = golden.word(params, draw.getrandbits(formats.width(layout)), draw.random() < 0.2)
        word = int(route_queue.checked(state, 0, 0, slot // params.depth, word))
        inputs |= {"write_valid": 1, "write_slot": slot, "write_route": golden.route_or_drop(params, word)}
        now = inputs.get("claim_valid") == 1 and slot == self._unwritten[inputs["claim_vc"]][-1]
        cover.hit("written when claimed", now)
        cover.hit("dropped" if route_drop(word) else "followed")
        if not self._at_once:
            cover.hit("written later", not now)
            if params.depth > 1:
                cover.hit("out of order", slot != self._unwritten[vc][0])
                cover.hit("next written before front", self._front_waits(vc) and slot != self._front(vc))
        self._unwritten[vc].remove(slot)

    def _front(self, vc: int) -> int:
        depth = self._params.depth
        return vc * depth + (self._tails[vc] - self._packets[vc]) % depth

    def _front_waits(self, vc: int) -> bool:
        return self._packets[vc] > 0 and self._front(vc) in self._unwritten[vc]

    def _release(self, inputs: Values, vc: int) -> None:
        cover = self._cover
        self._packets[vc] -= 1
        inputs |= {"releases": 1 << vc}
        cover.hit("release")
        if self._params.depth > 1:
            cover.hit("claim and release of a VC in one cycle", inputs.get("claim_vc") == vc)
            waits = self._front_waits(vc)
            cover.hit("next is ready at once", self._packets[vc] and not waits)
            if not self._at_once:
                cover.hit("next is not ready", waits)


@cocotb.test()
async def packets(dut: Any) -> None:
    """Random claims, writes and releases, each with pauses of its own, and resets."""
    bench = Bench(dut, "packets")
    params = SwitchParams(**bench.parameters)
    model = RouteQueue(params)
    await bench.start()
    await bench.random_traffic(Traffic(bench, params, model), model)
