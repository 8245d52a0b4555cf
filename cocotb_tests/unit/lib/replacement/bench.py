"""Replacement policies: hits and evicting fills of one set, and flushes; victim and state in every cycle.

The state is compared bit by bit, as the state memory holds it (microarchitecture.md, section 6).
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.lockstep import Bench, Values
from models.params import CacheParams, SwitchParams
from models.route.route_cache import cache_clear, cache_fill, cache_touch


class OneSet:
    """Model: the only set of a cache, with all ways valid."""

    def __init__(self, params: CacheParams) -> None:
        self._params = params
        self._state = power_up(SwitchParams(ports=2, vcs=1, cache=params))
        self._set = self._state.cache[0, 0, 0]
        self._tags = 0
        self._fill()

    def victim(self) -> int:
        """Return the way that the next fill would replace."""
        before = self._set.copy()
        self._evict()
        chosen = int(self._set["tag"].argmax())
        self._set[:] = before
        return chosen

    def __call__(self, inputs: Values) -> Values:
        """One cycle."""
        outputs = {"victim": 1 << self.victim(), "state": self._word()}
        if inputs["rst"] or inputs["clear"]:
            cache_clear(self._state, 0, 0)
            self._fill()
        elif inputs["used"] and inputs["evicts"]:
            self._evict()
        elif inputs["used"]:
            cache_touch(self._state, 0, 0, 0, inputs["way"].bit_length() - 1)
        return outputs

    def _fill(self) -> None:
        """Make all ways valid without using them."""
        self._set["valid"] = 1

    def _evict(self) -> None:
        self._tags += 1
        cache_fill(self._state, 0, 0, self._tags, 0)

    def _word(self) -> int:
        ranks = [int(rank) for rank in self._set["rank"]]
        bits = self._params.ways.bit_length() - 1
        if self._params.policy == "lru":
            return sum((age ^ way) << way * bits for way, age in enumerate(ranks))
        if self._params.policy == "fifo":
            return ranks[0]
        return sum(rank << node - 1 for node, rank in enumerate(ranks) if node)


@cocotb.test()
async def uses(dut: Any) -> None:
    """Hits of any way or of few ways, fills, cycles without either, flushes and resets."""
    bench = Bench(dut, "uses")
    params = CacheParams(**bench.parameters["cache"])
    model = OneSet(params)
    draw, ways = bench.random, params.ways
    cover = bench.coverage
    cover.require(["evicts", "quiet", "cleared", "reset", "hit of the victim"])
    cover.require(f"{what} way {way}" for what in ("hit of", "eviction of") for way in range(ways))

    def stimulus(cycle: int, seen: Values) -> Values:
        victim = model.victim()
        # Runs of hits, runs of fills, and mixtures.
        evicts = draw.random() < (0.1, 0.95, 0.5)[cycle // 50 % 3]
        few = draw.randint(1, ways)
        way = victim if evicts else draw.randrange(few)
        use = draw.random() < 0.9
        # Values of unused inputs do not matter.
        inputs = {"used": int(use), "way": 1 << way, "evicts": int(evicts)}
        inputs |= {"clear": int(draw.random() < 0.01), "rst": int(draw.random() < 0.005)}
        cover.hit("quiet", not use)
        cover.hit("cleared", inputs["clear"])
        cover.hit("reset", inputs["rst"])
        cover.hit("evicts", use and evicts)
        cover.hit("hit of the victim", use and not evicts and way == victim)
        if use:
            cover.hit(f"{'eviction of' if evicts else 'hit of'} way {way}")
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)
