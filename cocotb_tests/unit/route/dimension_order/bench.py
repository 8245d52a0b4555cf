"""Dimension order: all pairs of nodes of a small network, random pairs of a large one, and invalid tags.

Compared: the whole route, unless it is dropped.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import cocotb

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from models.params import SwitchParams
from models.route.dimension_order import decode, encode
from models.route.route_unit import route_at_once

PLACES = "from an even place", "from an odd place"


class DimensionOrder:
    """Model of the route computation as a component."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = golden.power_up(params)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, st = self._params, self._state
        place = decode(inputs["position"], st.coordinate_bits, 0, st.radix, 1, st.position[0])
        assert place == 0, "the switch is nowhere"
        return {"route": golden.if_followed(params, int(route_at_once(st, 0, inputs["tag"], False)))}


@cocotb.test()
async def pairs(dut: Any) -> None:
    """All pairs of nodes with all tags if these are few, else random ones; a third of the tags close to the switch."""
    bench = Bench(dut, "pairs")
    params = SwitchParams(**bench.parameters)
    draw, cover = bench.random, bench.coverage
    cover.require(["local"])
    first_ports = range(params.first_local, params.ports, params.node_ports)
    cover.require(f"leaves by port {port}" for port in (*range(params.first_local), *first_ports))
    names_no_node = math.prod(params.radix) * params.local_ports < 1 << params.address_bits - params.tie_bits
    cover.require(["no such node"] if names_no_node else [])
    rings = [k for k, ring in zip(params.radix, params.rings, strict=True) if ring and k >= 4]
    even = any(k % 2 == 0 for k in rings)
    cover.require(["crosses the wrap-around", "does not cross", "lower class", "upper class"] if rings else [])
    cover.require(["half-way, from an even place", "half-way, from an odd place"] if even else [])
    even_rings = [d for d, k in enumerate(params.radix) if params.rings[d] and k % 2 == 0]
    drawing = even_rings if params.ties == "random" else []
    mixed = any(params.rings) and not all(params.rings)
    cover.require(["in a row, beside rings"] if mixed else [])
    cover.require(f"half-way in dimension {d}, {way}, {place}" for d in drawing for way in "+−" for place in PLACES)

    if params.selects:
        cover.require(["several dimensions"] if len(params.radix) > 1 else [])
        cover.require(["both ways round"] if even else [])

    tags = 1 << params.address_bits
    every = math.prod(params.radix) * tags <= bench.cycles
    nodes = list(itertools.product(*map(range, params.radix))) if every else []
    model = DimensionOrder(params)

    def stimulus(cycle: int, seen: Values) -> Values:
        if every:
            here, tag = nodes[cycle // tags % len(nodes)], cycle % tags
        else:
            here = tuple(draw.randrange(k) for k in params.radix)
            tag = draw.getrandbits(params.address_bits)
            if draw.random() < 0.7:
                there = tuple(
                    _near(x, k) if draw.random() < 0.6 else x for x, k in zip(here, params.radix, strict=True)
                )
                there = here if draw.random() < 0.3 else there
                tag = encode(there, draw.randrange(params.local_ports), params.coordinate_bits)
                tag = tag << params.tie_bits | draw.getrandbits(params.tie_bits)
        inputs = {"tag": tag, "position": encode(here, 0, params.coordinate_bits)}
        _observe(inputs, here)
        return inputs

    def _near(x: int, k: int) -> int:
        """Return a coordinate at which the direction is critical: adjacent, half way round, or at an end."""
        return draw.choice([(x + 1) % k, (x - 1) % k, (x + k // 2) % k, (x + (k + 1) // 2) % k, 0, k - 1])

    def _observe(inputs: Values, here: tuple[int, ...]) -> None:
        expected = model(inputs)["route"]
        if names_no_node:
            cover.hit("no such node", not isinstance(expected, int))
        if not isinstance(expected, int):
            return
        route = golden.fields(params, golden.word(params, expected))
        cover.hit(f"leaves by port {route['out']}")
        cover.hit("local", route["out"] >= 2 * len(params.radix))
        if params.selects:
            cover.hit(
                "several dimensions", sum(1 for d in range(len(params.radix)) if route["choices"] >> 2 * d & 3) > 1
            )
        if route["out"] < 2 * len(params.radix) and (rings or drawing):
            d = route["out"] // 2
            there = inputs["tag"] >> params.tie_bits >> sum(params.coordinate_bits[:d]) & (
                (1 << params.coordinate_bits[d]) - 1
            )
            k = params.radix[d]
            ring = params.rings[d] and k >= 4
            if mixed:
                cover.hit("in a row, beside rings", not params.rings[d])
            if d in drawing and 2 * abs(there - here[d]) == k:
                # Computed from the tag bit, not by the model, which is under test as well.
                way = "−" if inputs["tag"] >> drawing.index(d) & 1 else "+"
                assert route["out"] == 2 * d + (way == "−"), "the model does not go as the tag says"
                cover.hit(f"half-way in dimension {d}, {way}, {PLACES[here[d] % 2]}")
            if even:
                half_way = ring and 2 * abs(there - here[d]) == k
                cover.hit(f"half-way, from an {'odd' if here[d] % 2 else 'even'} place", half_way)
            if params.selects and even:
                cover.hit("both ways round", ring and 2 * abs(there - here[d]) == k)
            if not rings:
                return
            crosses = route["out"] & 1 == int(there > here[d])
            cover.hit("crosses the wrap-around", ring and crosses)
            cover.hit("does not cross", ring and not crosses)
            cover.hit("lower class", ring and route["vc_first"] == 0)
            cover.hit("upper class", ring and route["vc_first"] > 0)

    await bench.start()
    await bench.random_traffic(stimulus, model)
