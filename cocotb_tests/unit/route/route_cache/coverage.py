"""Functional coverage of the route cache: interactions of lookups, fills and flushes."""

from __future__ import annotations

from cocotb_tests.bfm.coverage import Coverage
from cocotb_tests.bfm.lockstep import Values
from cocotb_tests.unit.route.route_cache.model import RouteCache
from models.params import SwitchParams

_ALWAYS = (
    "hit",
    "miss",
    "eviction",
    "fill of an invalid way",
    "hit and fill of one set in one cycle, touch lost",
    "lookup in the cycle of its tag's fill: miss",
    "lookup in the cycle after its tag's fill: hit",
    "flush hides an entry looked up with it",
    "flush in the cycle of a hit",
    "flush in the cycle of a fill: dropped",
    "flush in the cycle after a fill: written, cleared",
    "fill during a flush",
    "flush again while flushing",
    "flush again in the last cycle of a flush",
    "lookup in the last cycle of a flush",
    "lookup in the first cycle after a flush",
    "fill in the last cycle of a flush: written",
    "reset with a lookup in flight",
    "reset with a fill in flight",
    "reset while flushing",
)


class CacheCoverage:
    """Observes inputs and outputs, and evaluates each cycle when the inputs of the next one are known.

    Parameters
    ----------
    cover : Coverage
        Coverage in which to count.
    params : SwitchParams
        Decides which bins can be hit.
    model : RouteCache
        Tells sets and ways.
    """

    def __init__(self, cover: Coverage, params: SwitchParams, model: RouteCache) -> None:
        self._cover, self._model, self._cache = cover, model, params.cache
        cover.require(_ALWAYS)
        cover.require(f"hit in way {way}" for way in range(params.cache.ways))
        cover.require(["two ways hold the tag"] if params.cache.ways > 1 else [])
        cover.require(["hit and fill of two sets in one cycle"] if params.cache.sets > 1 else [])
        self._forget()

    def _forget(self) -> None:
        self._inputs: list[Values] = [{}, {}, {}]  # of the last three cycles
        self._flushing = 1  # in the cycle before the last
        self._swept = 0  # cycles of the flush so far

    def __call__(self, inputs: Values, seen: Values) -> None:
        """Record the inputs of a cycle, and the outputs of the cycle before (none after reset)."""
        hit = self._cover.hit
        if seen:
            before, asked, now = self._inputs
            self._judge(before, asked, now, seen)
        if inputs.get("lookup_valid"):
            way = self._model.way(inputs["lookup_tag"])
            hit("flush hides an entry looked up with it", way >= 0 and inputs.get("flush", 0))
        if inputs.get("rst"):
            hit("reset with a lookup in flight", inputs.get("lookup_valid", 0))
            hit("reset with a fill in flight", inputs.get("fill_valid", 0))
            hit("reset while flushing", self._model.flushing)
            self._forget()
        else:
            self._inputs = [*self._inputs[1:], inputs]

    def _judge(self, before: Values, asked: Values, now: Values, seen: Values) -> None:
        """Evaluate the last cycle.

        Parameters
        ----------
        before, asked, now : dict
            Inputs of three cycles; the last one has the result of the lookup in `asked`.
        seen : dict
            Outputs of the last cycle.
        """
        hit = self._cover.hit
        looked, filled, flush = asked.get("lookup_valid", 0), asked.get("fill_valid", 0), now.get("flush", 0)
        flushing, ended = seen["flushing"], self._flushing and not seen["flushing"]
        filling = filled and not flushing
        tag, filled_tag = asked.get("lookup_tag"), asked.get("fill_tag")
        self._swept += flushing
        hit("hit", seen["hit"])
        hit("miss", seen["miss"])
        hit("eviction", seen["evicted"])
        hit("fill of an invalid way", filling and not seen["evicted"])
        if seen["hit"]:
            self._judge_hit(asked, bool(filling))
            just_filled = before.get("fill_valid") and not self._flushing and tag == before["fill_tag"]
            hit("lookup in the cycle after its tag's fill: hit", bool(just_filled))
        hit("lookup in the cycle of its tag's fill: miss", seen["miss"] and filling and tag == filled_tag)
        hit("flush in the cycle of a hit", seen["hit"] and flush)
        hit("flush in the cycle of a fill: dropped", filled and asked.get("flush", 0))
        hit("flush in the cycle after a fill: written, cleared", filling and flush)
        hit("fill during a flush", filled and flushing and self._flushing)
        hit("flush again while flushing", flushing and flush)
        hit("flush again in the last cycle of a flush", flush and self._swept == self._cache.sets)
        hit("lookup in the last cycle of a flush", looked and ended)
        hit("lookup in the first cycle after a flush", ended and now.get("lookup_valid", 0))
        hit("fill in the last cycle of a flush: written", filling and self._flushing)
        if flush or ended:
            self._swept = 0
        self._flushing = flushing

    def _judge_hit(self, asked: Values, filling: bool) -> None:
        tag, model = asked["lookup_tag"], self._model
        self._cover.hit(f"hit in way {max(0, model.way(tag))}", model.way(tag) >= 0)
        if self._cache.ways > 1:
            self._cover.hit("two ways hold the tag", model.copies(tag) > 1)
        if filling and model.index(tag) == model.index(asked["fill_tag"]):
            self._cover.hit("hit and fill of one set in one cycle, touch lost")
        elif filling:
            self._cover.hit("hit and fill of two sets in one cycle")
