"""Functional coverage of a whole switch: events derived from the registers of its golden model."""

from __future__ import annotations

import numpy as np

from cocotb_tests.bfm.coverage import Coverage
from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Values
from cocotb_tests.switch.model import Outputs, TopModel
from models.formats import COUNTERS, Counter
from models.params import SwitchParams
from models.state.registers import ASK, IDLE, WALK
from models.state.route_word import route_drop, route_followed, route_out, route_vcs


def can_drop(params: SwitchParams) -> bool:
    """Return whether a packet can be dropped at all."""
    sizes = (*params.radix, params.local_ports)
    return params.programmed or not params.u_turn or params.header_flits > 1 or any(k & (k - 1) for k in sizes)


class Watch:
    """A golden model that counts coverage events in each cycle.

    Parameters
    ----------
    model : TopModel
        The model.
    cover : Coverage
        Coverage in which to count them.
    """

    def __init__(self, model: TopModel, cover: Coverage) -> None:
        self._model, self._cover, self._params = model, cover, model.params
        self._events = np.zeros((model.params.ports, COUNTERS), np.int64)
        self._heads: Values = {}
        params = self._params
        self._bins = ["full buffer", "credit exhaustion", "VC conflict", "reset with packets in flight"]
        self._bins += ["hold"] if params.hold_packets and params.depth > 1 else []
        self._bins += ["hold lost"] if params.hold_packets else []
        self._bins += ["drop"] if can_drop(params) else []
        self._bins += ["u-turn"]
        self._bins += ["merge"] if params.has_cam and params.slots > 1 else []
        self._bins += ["CAM contention"] if params.has_cam and params.ports > 2 else []  # of two, seldom both miss
        self._bins += ["full output buffer"] if params.speedup > 1 else []
        self._bins += ["hit", "miss", "eviction", "flush in flight"] if params.has_cache else []
        self._bins += ["head bypass", "body bypass", "one-flit bypass", "squashed"] if params.prediction else []
        cover.require(self._bins)

    def __call__(self, inputs: Values) -> Outputs:
        """One cycle."""
        held = self._holds()
        self._waits()
        self._reset_or_flush(inputs)
        outputs = self._model(inputs)
        sent = self._count_events(inputs)[:, Counter.FLITS_OUT]
        for o, wanted in held.items():
            self._hit("hold", sent[o] and wanted)
            self._hit("hold lost", not sent[o] and not inputs["rst"])
        return outputs

    def _hit(self, name: str, happened: object) -> None:
        if name in self._bins:
            self._cover.hit(name, bool(happened))

    def _holds(self) -> dict[int, bool]:
        """Return the outputs held in this cycle, each with whether another input VC wants it."""
        st = self._model.top.state
        if st.switch[0].held_in != self._model.top.cycle:
            return {}
        routes = st.vc["route"][0][st.vc["count"][0] > 0]
        outs = [route_out(int(word)) for word in routes if route_followed(int(word))]
        return {o: outs.count(o) > 1 for o in range(self._params.ports) if int(st.switch[0].held) >> o & 1}

    def _waits(self) -> None:
        """Count flits that wait, by reason."""
        st = self._model.top.state
        counts, actives = st.vc["count"][0], st.vc["active"][0]
        self._hit("full buffer", (counts == self._params.depth).any())
        self._hit("full output buffer", st.switch[0].full)
        for p, v in np.argwhere((counts > 0) & (st.vc["route"][0] != 0)):
            word, active = int(st.vc["route"][0, p, v]), actives[p, v]
            out = route_out(word)
            if self._params.u_turn:
                self._hit("u-turn", active and out == p)
            else:
                self._hit("u-turn", route_drop(word) and out == p)
            if route_drop(word):
                continue
            if active:
                self._hit("credit exhaustion", st.credits[0, out, st.vc["out_vc"][0, p, v]] == 0)
            else:
                self._hit("VC conflict", not int(st.output[0, out].free) & route_vcs(word))

    def _reset_or_flush(self, inputs: Values) -> None:
        st = self._model.top.state
        self._hit("reset with packets in flight", inputs["rst"] and st.vc["count"].any())
        if self._params.has_cam:
            phases = st.miss["phase"]
            self._hit("CAM contention", (phases == ASK).any())
            self._hit("flush in flight", inputs.get("flush") and ((phases != IDLE) & (phases != WALK)).any())

    def _count_events(self, inputs: Values) -> np.ndarray:
        """Count the events of the statistics counters in this cycle, and return them, int64 [ports, Counter]."""
        counters = self._model.top.state.counters[0]
        before, self._events = self._events, counters.copy()
        ports: np.ndarray = np.zeros_like(counters) if inputs["rst"] else counters - before
        new = ports.sum(axis=0)
        self._hit("hit", new[Counter.CACHE_HITS])
        self._hit("miss", new[Counter.CACHE_MISSES])
        self._hit("eviction", new[Counter.EVICTIONS])
        self._hit("merge", new[Counter.CAM_MERGED])
        self._hit("drop", new[Counter.PACKETS_DROPPED])
        self._hit("squashed", new[Counter.BYPASS_SQUASHED])
        self._hit("body bypass", new[Counter.BYPASS_FLITS] > new[Counter.BYPASS_HEADS])
        # A head that was sent speculatively counts in the cycle after its arrival.
        came, self._heads = (self._heads if self._params.has_cache else inputs), inputs
        for p in np.flatnonzero(ports[:, Counter.BYPASS_HEADS]):
            self._hit("head bypass", True)
            self._hit("one-flit bypass", Flit.read(self._params, came[f"link_in_{p}_flit_payload"]).tail)
        return ports
