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


class Pairs:
    """Stimulus: all pairs of nodes with all tags if these are few, else random ones; and the corners that are met.

    Parameters
    ----------
    bench : Bench
        Whose random numbers are drawn, and whose coverage is told.
    params : SwitchParams
    model : DimensionOrder
        Whose routes say which corners are met.
    """

    def __init__(self, bench: Bench, params: SwitchParams, model: DimensionOrder) -> None:
        self._params = params
        self._draw = bench.random
        self._cover = bench.coverage
        self._model = model
        self._names_no_node = math.prod(params.radix) * params.local_ports < 1 << params.address_bits - params.tie_bits
        self._has_rings = any(self._is_ring(d) for d in range(len(params.radix)))
        self._even = any(self._is_ring(d) and k % 2 == 0 for d, k in enumerate(params.radix))
        even_rings = [d for d, k in enumerate(params.radix) if params.rings[d] and k % 2 == 0]
        self._drawing = even_rings if params.ties == "random" else []
        self._mixed = any(params.rings) and not all(params.rings)
        self._tags = 1 << params.address_bits
        every = math.prod(params.radix) * self._tags <= bench.cycles
        self._nodes = list(itertools.product(*map(range, params.radix))) if every else []
        self._require()

    def _is_ring(self, d: int) -> bool:
        """Return whether a dimension is a ring of which the two ways round can be told apart."""
        return self._params.rings[d] and self._params.radix[d] >= 4

    def _require(self) -> None:
        """Say which corners are to be met."""
        params, cover = self._params, self._cover
        cover.require(["local"])
        first_ports = range(params.first_local, params.ports, params.node_ports)
        cover.require(f"leaves by port {port}" for port in (*range(params.first_local), *first_ports))
        corners = {
            "no such node": self._names_no_node,
            "crosses the wrap-around": self._has_rings,
            "does not cross": self._has_rings,
            "lower class": self._has_rings,
            "upper class": self._has_rings,
            "half-way, from an even place": self._even,
            "half-way, from an odd place": self._even,
            "in a row, beside rings": self._mixed,
            "several dimensions": params.selects and len(params.radix) > 1,
            "both ways round": params.selects and self._even,
        }
        cover.require(corner for corner, there in corners.items() if there)
        cover.require(
            f"half-way in dimension {d}, {way}, {place}" for d in self._drawing for way in "+−" for place in PLACES
        )

    def __call__(self, cycle: int, seen: Values) -> Values:
        """Return the inputs of a cycle."""
        if self._nodes:
            here, tag = self._nodes[cycle // self._tags % len(self._nodes)], cycle % self._tags
        else:
            here = tuple(self._draw.randrange(k) for k in self._params.radix)
            tag = self._random_tag(here)
        inputs = {"tag": tag, "position": encode(here, 0, self._params.coordinate_bits)}
        self._observe(inputs, here)
        return inputs

    def _random_tag(self, here: tuple[int, ...]) -> int:
        """Return any tag, or that of a node that is near in many dimensions."""
        params, draw = self._params, self._draw
        tag = draw.getrandbits(params.address_bits)
        if draw.random() < 0.7:
            there = tuple(
                self._near(x, k) if draw.random() < 0.6 else x for x, k in zip(here, params.radix, strict=True)
            )
            there = here if draw.random() < 0.3 else there
            tag = encode(there, draw.randrange(params.local_ports), params.coordinate_bits)
            tag = tag << params.tie_bits | draw.getrandbits(params.tie_bits)
        return tag

    def _near(self, x: int, k: int) -> int:
        """Return a coordinate where the choice of direction is close: beside, half-way round, or at an end."""
        return self._draw.choice([(x + 1) % k, (x - 1) % k, (x + k // 2) % k, (x + (k + 1) // 2) % k, 0, k - 1])

    def _observe(self, inputs: Values, here: tuple[int, ...]) -> None:
        """Tell the coverage which corners these inputs meet."""
        params, cover = self._params, self._cover
        expected = self._model(inputs)["route"]
        if self._names_no_node:
            cover.hit("no such node", not isinstance(expected, int))
        if not isinstance(expected, int):
            return
        route = golden.fields(params, golden.word(params, expected))
        cover.hit(f"leaves by port {route['out']}")
        cover.hit("local", route["out"] >= 2 * len(params.radix))
        if params.selects:
            dimensions = sum(1 for d in range(len(params.radix)) if route["choices"] >> 2 * d & 3)
            cover.hit("several dimensions", dimensions > 1)
        if route["out"] < 2 * len(params.radix) and (self._has_rings or self._drawing):
            self._observe_direction(inputs["tag"], here, route)

    def _observe_direction(self, tag: int, here: tuple[int, ...], route: Values) -> None:
        """Tell the coverage which corners a route along a dimension meets."""
        params, cover = self._params, self._cover
        d = route["out"] // 2
        bits = params.coordinate_bits
        there = tag >> params.tie_bits >> sum(bits[:d]) & ((1 << bits[d]) - 1)
        ring = self._is_ring(d)
        opposite = 2 * abs(there - here[d]) == params.radix[d]
        if self._mixed:
            cover.hit("in a row, beside rings", not params.rings[d])
        if d in self._drawing and opposite:
            # By the tag's own bit, not by the model that is under test as well.
            way = "−" if tag >> self._drawing.index(d) & 1 else "+"
            assert route["out"] == 2 * d + (way == "−"), "the model does not go as the tag says"
            cover.hit(f"half-way in dimension {d}, {way}, {PLACES[here[d] % 2]}")
        if self._even:
            cover.hit(f"half-way, from an {'odd' if here[d] % 2 else 'even'} place", ring and opposite)
        if params.selects and self._even:
            cover.hit("both ways round", ring and opposite)
        if self._has_rings:
            crosses = route["out"] & 1 == int(there > here[d])
            cover.hit("crosses the wrap-around", ring and crosses)
            cover.hit("does not cross", ring and not crosses)
            cover.hit("lower class", ring and route["vc_first"] == 0)
            cover.hit("upper class", ring and route["vc_first"] > 0)


@cocotb.test()
async def pairs(dut: Any) -> None:
    """All pairs of nodes with all tags if these are few, else random ones; a third of the tags next to the switch."""
    bench = Bench(dut, "pairs")
    params = SwitchParams(**bench.parameters)
    model = DimensionOrder(params)
    stimulus = Pairs(bench, params, model)
    await bench.start()
    await bench.random_traffic(stimulus, model)
