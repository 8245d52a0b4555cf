"""Plane selector: all pairs of addresses of a small network, random pairs of a large one.

Except for ties, the result depends only on the difference of the addresses. So the bins are properties of differences,
each required if a difference in the test has it: each distance, each plane as the only nearest one, ties of all planes,
the last generator of folded planes. If the tie policy allows, each plane must win ties.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Values
from models.jit.sets import popcount
from models.node.plane_selector import Planes, hashed_start, plane_tables, route_value, select_plane, start_after
from models.params.planes import PlaneParams

ALL_TIE = "all planes tie"


class PlaneSelector:
    """Model of the selector as a component."""

    def __init__(self, params: PlaneParams) -> None:
        self._tie = params.tie
        self._planes = plane_tables(params)
        self._start = 0

    def __call__(self, inputs: Values) -> dict[str, int]:
        """One cycle."""
        source, destination = inputs["source"], inputs["destination"]
        start = int(hashed_start(source, destination, self._planes)) if self._tie == "hash" else self._start
        plane, tie = select_plane(source ^ destination, start, self._planes)
        if inputs["rst"]:
            self._start = 0
        elif self._tie == "alternate" and inputs["take"] and tie:
            self._start = int(start_after(plane, self._planes))
        route = int(route_value(source ^ destination, plane, self._planes))
        return {"plane": int(plane), "route": route, "distance": int(popcount(route))}


@cocotb.test()
async def pairs(dut: Any) -> None:
    """Results for pairs of addresses; with tie = "alternate", taken or not, and resets."""
    bench = Bench(dut, "pairs")
    params = PlaneParams(**bench.parameters)
    draw, cover, bits = bench.random, bench.coverage, params.bits
    count, alternates = len(params.planes), params.tie == "alternate"
    few = 1 << bits <= 64
    corners = [0, (1 << bits) - 1, *(g for plane in range(count) for g in params.generators(plane))]
    differences = list(range(1 << bits)) if few else corners + [draw.getrandbits(bits) for _ in range(1000)]
    tables = plane_tables(params)
    properties = {difference: _properties(difference, tables) for difference in differences}
    ties = [difference for difference in differences if ALL_TIE in properties[difference]]
    cover.require(sorted(set().union(*properties.values())))
    cover.require(f"plane {plane} takes a tie of all" for plane in _takers(params.tie, ties, tables))
    cover.require(["taken", "not taken"] if alternates else [])
    cover.require(["reset after a tie"] if alternates and ties else [])
    was_tie = False

    def stimulus(cycle: int, seen: Values) -> Values:
        nonlocal was_tie
        if was_tie and seen:
            cover.hit(f"plane {seen['plane']} takes a tie of all")
        source = cycle >> bits & (1 << bits) - 1 if few else draw.getrandbits(bits)
        difference = differences[cycle % len(differences)]
        if not few and cycle >= len(differences):
            difference = draw.choice(draw.choice([corners, differences, ties or [0]]))
        inputs = {"source": source, "destination": source ^ difference, "rst": draw.random() < 0.01}
        if alternates:
            inputs["take"] = draw.random() < (0.9, 0.5, 0.1)[cycle // 256 % 3]
            cover.hit("taken", inputs["take"])
            cover.hit("not taken", not inputs["take"])
            if ties:
                cover.hit("reset after a tie", inputs["rst"] and was_tie)
        for name in properties[difference]:
            cover.hit(name)
        was_tie = ALL_TIE in properties[difference]
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, PlaneSelector(params))


def _takers(policy: str, ties: list[int], planes: Planes) -> set[int]:
    """Return the planes that can win a tie of all planes."""
    if not ties or policy == "lowest":
        return {0} if ties else set()
    count, bits = planes.inverse.shape
    if policy == "alternate":
        return set(range(count))
    sources = range(1 << min(bits, 8))
    return {int(hashed_start(source, source ^ tie, planes)) for source in sources for tie in ties[:16]}


def _properties(difference: int, planes: Planes) -> set[str]:
    """Return the properties of a difference of addresses."""
    count, bits = planes.inverse.shape
    routes = [int(route_value(difference, plane, planes)) for plane in range(count)]
    distances = [int(popcount(route)) for route in routes]
    nearest = [plane for plane, distance in enumerate(distances) if distance == min(distances)]
    found = {f"distance {min(distances)}"}
    found |= {"source is destination"} if not difference else set()
    found |= {"all bits differ"} if difference == (1 << bits) - 1 else set()
    found |= {f"only plane {nearest[0]}"} if len(nearest) == 1 else set()
    found |= {ALL_TIE} if len(nearest) == count > 1 and difference else set()
    return found | {f"last generator of plane {plane}" for plane in nearest if routes[plane] >> bits}
