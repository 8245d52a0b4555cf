"""Model of the route cache as a component: the cache of a switch whose lookups and fills come from the inputs."""

from __future__ import annotations

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Expected, Values
from models.formats import Counter
from models.params import SwitchParams
from models.reset import reset
from models.route.route_cache import cache_find, cache_flushing, cache_index
from models.route.route_queue import route_at
from models.route.route_unit import advance_route_units

_EVENTS = {"hit": Counter.CACHE_HITS, "miss": Counter.CACHE_MISSES, "evicted": Counter.EVICTIONS}


class RouteCache:
    """Cache of input port 0; its miss unit gets no misses, and presents the fills of the inputs."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = golden.power_up(params)
        self._cycle = 0

    def index(self, tag: int) -> int:
        """Return the set of a tag."""
        return int(cache_index(self._state, golden.signed(tag)))

    def way(self, tag: int) -> int:
        """Return the way that holds a tag at the beginning of the next cycle, or −1."""
        return int(cache_find(self._state, 0, 0, golden.signed(tag)))

    def copies(self, tag: int) -> int:
        """Return the number of ways that hold a tag."""
        ways = self._state.cache[0, 0, self.index(tag)]
        return int((ways.valid & (ways.tag == golden.signed(tag))).sum())

    @property
    def flushing(self) -> bool:
        """Whether `flushing` is 1 in the next cycle."""
        return bool(cache_flushing(self._state, 0, self._cycle))

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        state, cycle = self._state, self._cycle
        unit, counts = state.miss[0, 0], state.counters[0, 0]
        outputs: dict[str, Expected] = {"flushing": int(self.flushing)}
        before = counts.copy()
        state.switch[0].working = 1
        advance_route_units(state, 0, cycle, bool(inputs["flush"]))
        for name, counter in _EVENTS.items():
            outputs[name] = int(counts[counter] - before[counter])
        outputs["route"] = golden.route(self._params, int(route_at(state, 0, 0, 0, 0))) if outputs["hit"] else None
        unit.handed = 0
        unit.filling = inputs["fill_valid"]
        unit.fill_tag = golden.signed(inputs["fill_tag"])
        unit.fill_route = golden.word(self._params, inputs["fill_route"])
        lookup = state.lookup[0, 0, cycle & 1]
        lookup.valid = inputs["lookup_valid"]
        lookup.tag = golden.signed(inputs["lookup_tag"])
        if inputs["rst"]:
            reset(state, 0, cycle)
        self._cycle += 1
        return outputs
