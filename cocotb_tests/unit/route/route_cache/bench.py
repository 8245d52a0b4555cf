"""Route cache: lookups, fills and flushes at all distances from one another, for each replacement policy.

Compared in every cycle: hits, misses, evictions and `flushing`, and the route of a hit.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.stall import stalls
from cocotb_tests.unit.route.route_cache.corners import sequences, told_apart
from cocotb_tests.unit.route.route_cache.coverage import CacheCoverage
from cocotb_tests.unit.route.route_cache.model import RouteCache
from models import formats
from models.params import SwitchParams

SETS = 3  # most tags map to this many sets


class Tags:
    """Tags, grouped by set.

    Parameters
    ----------
    bench : Bench
        Random numbers.
    params : SwitchParams
        Parameters of the cache.
    model : RouteCache
        Tells the set of a tag.
    """

    def __init__(self, bench: Bench, params: SwitchParams, model: RouteCache) -> None:
        self._random, width = bench.random, params.tag_width
        wanted = params.cache.ways + 2
        # The set of all ones and set 0 are crowded; a tag and its complement differ in every bit.
        corners = [(1 << width) - 1, 0]
        self.by_set: dict[int, list[int]] = {}
        for tag in corners:
            self.by_set.setdefault(model.index(tag), []).append(tag)
        while len(self.by_set) < min(SETS, params.cache.sets):
            self.by_set.setdefault(model.index(bench.random.getrandbits(width)), [])
        while any(len(tags) < wanted for tags in self.by_set.values()):
            tag = bench.random.getrandbits(width)
            tags = self.by_set.get(model.index(tag), [])
            if len(tags) < wanted and tag not in tags:
                tags.append(tag)
        self._all = [tag for tags in self.by_set.values() for tag in tags]
        self._all += [bench.random.getrandbits(width) for _ in range(min(40, params.cache.entries // 2))]

    def draw(self) -> int:
        """Return a random tag."""
        return self._random.choice(self._all)


@cocotb.test()
async def corners(dut: Any) -> None:
    """Directed sequences, one after the other."""
    bench = Bench(dut, "corners")
    params = SwitchParams(**bench.parameters)
    model = RouteCache(params)
    coverage = CacheCoverage(bench.coverage, params, model)
    tags = Tags(bench, params, model)
    near, *others = tags.by_set.values()
    far = [tag for others_tags in others for tag in others_tags[:3]]
    width = formats.width(formats.route(params))
    routes = [bench.random.getrandbits(width) for _ in range(5)]
    scripts = sequences(near, far, params.cache.ways, params.cache.sets, routes)
    inputs = [values for script in scripts for values in script]

    def stimulus(cycle: int, seen: Values) -> Values:
        coverage(inputs[cycle], seen)
        return dict(inputs[cycle])

    await bench.start()
    await bench.lockstep(len(inputs), stimulus, model)


@cocotb.test()
async def one_bit(dut: Any) -> None:
    """Tags of one set that differ in a single bit are distinguished, for each bit."""
    bench = Bench(dut, "one_bit")
    params = SwitchParams(**bench.parameters)
    model = RouteCache(params)
    width = formats.width(formats.route(params))
    pairs = []
    for bit in range(params.tag_width):
        tag = bench.random.getrandbits(params.tag_width)
        if model.index(tag) == model.index(tag ^ 1 << bit):
            pairs.append((tag, tag ^ 1 << bit))
    # With one set, all bits. With several, only bits that do not change the hash.
    bench.coverage.require(["tags of a set differ in one bit"] if params.cache.sets == 1 else [])
    if not pairs:
        return
    if params.cache.sets == 1:
        bench.coverage.hit("tags of a set differ in one bit", len(pairs) == params.tag_width)
    script = [values for tag, other in pairs for values in told_apart(tag, other, bench.random.getrandbits(width))]
    await bench.start()
    await bench.lockstep(len(script), lambda cycle, seen: dict(script[cycle]), model)


@cocotb.test()
async def traffic(dut: Any) -> None:
    """Random lookups, fills of tags that were just looked up or will be, flushes and resets."""
    bench = Bench(dut, "traffic")
    params = SwitchParams(**bench.parameters)
    model = RouteCache(params)
    coverage = CacheCoverage(bench.coverage, params, model)
    draw, tags = bench.random, Tags(bench, params, model)
    pauses = {name: stalls("mixed", draw) for name in ("lookup", "fill")}
    route_bits = formats.width(formats.route(params))
    recent = [0, 0]
    flushes = 1 / (60 + 6 * params.cache.sets)

    def stimulus(cycle: int, seen: Values) -> Values:
        inputs: Values = {}
        if not next(pauses["lookup"]):
            tag = draw.choice(recent) if draw.random() < 0.3 else tags.draw()
            inputs |= {"lookup_valid": 1, "lookup_tag": tag}
            recent[0] = tag
        # Rare fills for a while, so that entries age by hits; then frequent ones, so that fills coincide with hits.
        if not next(pauses["fill"]) and draw.random() < (0.1, 0.9)[cycle // 100 % 2]:
            tag = draw.choice(recent) if draw.random() < 0.3 else tags.draw()
            inputs |= {"fill_valid": 1, "fill_tag": tag, "fill_route": draw.getrandbits(route_bits)}
            recent[1] = tag
        flushing_now = seen.get("flushing", 1)
        inputs["flush"] = int(draw.random() < (0.5 / params.cache.sets if flushing_now else flushes))
        inputs["rst"] = int(draw.random() < flushes / 2)
        coverage(inputs, seen)
        return inputs

    await bench.start()
    await bench.lockstep(bench.cycles, stimulus, model)
