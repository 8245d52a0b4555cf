"""Model of the route unit as a component: that of a switch whose CAM grants and answers as the inputs say."""

from __future__ import annotations

from typing import NamedTuple

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Expected, Values
from models import formats
from models.formats import Counter
from models.params import SwitchParams
from models.reset import reset
from models.route.header import BODY, header
from models.route.route_cache import cache_flushing
from models.route.route_queue import release, route_at
from models.route.route_unit import advance_route_units, route_header
from models.state.registers import ASK, NEVER, WAIT

_EVENTS = {"merged": Counter.CAM_MERGED}
_CACHE_EVENTS = {"hit": Counter.CACHE_HITS, "miss": Counter.CACHE_MISSES, "evicted": Counter.EVICTIONS}


class Snapshot(NamedTuple):
    """State at the beginning of a cycle, for coverage."""

    phase: int
    walked: int  # WALK cycles so far
    pending: int  # number of headers that wait
    examined: int  # number of them that the walk has not examined yet
    active_tag: int
    handed_tag: int | None  # of the header that is handed over in this cycle
    looked_up: bool  # a lookup has its result in this cycle
    malformed: bool  # the header of that lookup was malformed
    slot: int  # slot of that header
    filling: bool


class RouteUnit:
    """Route unit of one port.

    Parameters
    ----------
    params : SwitchParams
        Parameters of the switch.
    port : int
        Number of the input port.

    Attributes
    ----------
    header : int
        Result of the last flit: BODY, COMPLETE or MALFORMED, of `models.route.header`; BODY without a flit.
    newest : int
        Word of the route claimed last, as of the cycle of the claim.
    """

    def __init__(self, params: SwitchParams, port: int) -> None:
        self._params, self._port = params, port
        self._state = golden.power_up(params)
        self._events = (_EVENTS if params.has_cam else {}) | (_CACHE_EVENTS if params.has_cache else {})
        self._cycle = 0
        self.header = BODY
        self.newest = 0

    def front(self, vc: int) -> int:
        """Return the word of a VC's front route at the beginning of the next cycle; 0 if it is not ready."""
        return int(route_at(self._state, 0, self._port, vc, self._state.vc[0, self._port, vc].front))

    @property
    def phase(self) -> int:
        """Phase of the miss unit in the next cycle."""
        return int(self._state.miss[0, self._port].phase)

    def route(self, slot: int) -> int:
        """Return the word in a slot of the route queue."""
        return int(route_at(self._state, 0, self._port, *divmod(slot, self._params.depth)))

    def snapshot(self) -> Snapshot:
        """Return the state at the beginning of the next cycle; only with routing = "table"."""
        unit = self._state.miss[0, self._port]
        looked_up, malformed, slot = False, False, 0
        if self._params.has_cache:
            lookup = self._state.lookup[0, self._port, (self._cycle - 1) & 1]
            looked_up, malformed = bool(lookup.valid), bool(lookup.valid and lookup.malformed)
            slot = int(lookup.slot)
        return Snapshot(
            phase=int(unit.phase),
            walked=int(unit.walked),
            pending=int(unit.pending),
            examined=int(unit.examined),
            active_tag=int(unit.active_tag),
            handed_tag=int(unit.handed_tag) if unit.handed else None,
            looked_up=looked_up,
            malformed=malformed,
            slot=slot,
            filling=bool(unit.filling),
        )

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """Advance by one cycle, in the order of a switch: a packet leaves, a flit arrives, RC advances."""
        params, state, port, cycle = self._params, self._state, self._port, self._cycle
        outputs: dict[str, Expected] = {}
        fronts = [self.front(vc) for vc in range(params.vcs)]
        outputs["ready"] = sum(1 << vc for vc, word in enumerate(fronts) if word)
        for vc, word in enumerate(fronts):
            outputs[f"front_{vc}"] = self._shown(vc, word) if word else None
        if params.has_cache:
            outputs["flushing"] = int(cache_flushing(state, 0, cycle))
        if params.computed and params.crossbar is None:
            position = inputs["position"]
            for d, bits in enumerate(params.position_bits):
                state.position[0, d] = position & ((1 << bits) - 1)
                position >>= bits
        for vc in range(params.vcs):
            if inputs["releases"] >> vc & 1:
                release(state, 0, port, vc, cycle)
        self.header = BODY
        if inputs["flit_valid"]:
            flit = Flit.read(params, inputs["flit_payload"])
            data = golden.signed(golden.unsigned(flit.data, 64))
            self.header = int(header(state, 0, port, flit.vc, flit.tail, data))
            if self.header != BODY:
                slot = flit.vc * params.depth + int(state.vc[0, port, flit.vc].claim)
                route_header(state, 0, port, flit.vc, int(state.vc[0, port, flit.vc].tag), self.header, cycle)
                self.newest = self.route(slot)
        if params.has_cam:
            outputs |= self._step(inputs)
        if params.linear and inputs["program_valid"]:
            golden.program(params, state, inputs["entry"])
        if inputs["rst"]:
            reset(state, 0, cycle)
        self._cycle += 1
        return outputs

    def _shown(self, vc: int, word: int) -> Expected:
        """Return a front route as the unit's port shows it."""
        if not self._params.selects:
            return golden.front_route(self._params, word)
        tag = 0
        if self._params.lookahead:
            tag = int(self._state.targets[0, self._port, vc, self._state.vc[0, self._port, vc].front])
        return golden.open_route(self._params, word, tag)

    def _step(self, inputs: Values) -> dict[str, Expected]:
        """Advance RC: the request register is full if the CAM does not grant, and empties at once when it does."""
        params, state, port = self._params, self._state, self._port
        sw, unit, counts = state.switch[0], state.miss[0, port], state.counters[0, port]
        if inputs["answer_valid"]:
            answer = formats.unpack(golden.port_answer(params), inputs["answer"])
            found = answer.pop("found")
            unit.answer = golden.word(params, formats.pack(formats.route(params), answer), 1 - found)
            unit.answer_at = self._cycle
        sw.cam_full = 1 - inputs["granted"]
        sw.table_ready = NEVER
        waited = self.phase == WAIT
        before = counts.copy()
        advance_route_units(state, 0, self._cycle, bool(inputs.get("flush", 0)))
        sw.cam_full = 0
        requests = self.phase == ASK or (self.phase == WAIT and not waited)
        outputs: dict[str, Expected] = {name: int(counts[n] - before[n]) for name, n in self._events.items()}
        outputs["request_valid"] = int(requests)
        outputs["request_tag"] = golden.unsigned(unit.active_tag, params.tag_width) if requests else None
        return outputs
