"""Plane selector of a node: nearest plane and route value (Hosomi et al., 2021: paper D; microarchitecture.md, 14)."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import first_cyclic, select_index, successor
from models.params.planes import PlaneParams


class PlaneSelector(wiring.Component):
    """Finds the nearest plane for a message, and its route value there, without a table.

    Parameters
    ----------
    params : PlaneParams

    Ports
    -----
    source, destination : In(bits)
        Addresses of the nodes.
    take : In(1)
        The result of this cycle is used; only with tie = "alternate".
    plane : Out(plane_bits)
        Nearest plane, in the same cycle.
    route : Out(route_bits)
        Route value: bit k is 1 if the path takes the link of generator k of the plane.
    distance : Out(distance_bits)
        Number of links on the path.
    """

    def __init__(self, params: PlaneParams) -> None:
        self._params = params
        members = {
            "source": In(params.bits),
            "destination": In(params.bits),
            "plane": Out(params.plane_bits),
            "route": Out(params.route_bits),
            "distance": Out(params.distance_bits),
        }
        super().__init__(members | ({"take": In(1)} if params.tie == "alternate" else {}))

    def elaborate(self, platform: object) -> Module:
        """Build the route value and weight of each plane, the comparison and the choice."""
        m = Module()
        params = self._params
        count = len(params.planes)
        difference = Signal(params.bits)
        m.d.comb += difference.eq(self.source ^ self.destination)

        routes, distances = [], []
        for plane in range(count):
            route, distance = self._way(m, plane, difference)
            routes.append(route)
            distances.append(distance)
        nearest = Signal(count)
        for plane, distance in enumerate(distances):
            others = distances[:plane] + distances[plane + 1 :]
            m.d.comb += nearest[plane].eq(Cat(distance <= other for other in others).all() if others else 1)

        start = Signal(params.plane_bits)
        _, number = first_cyclic(m, nearest, start, "nearest")
        m.d.comb += self.plane.eq(number)
        m.d.comb += self.route.eq(select_index(self.plane, routes))
        m.d.comb += self.distance.eq(select_index(self.plane, distances))
        if params.tie == "alternate":
            tie = Signal()
            m.d.comb += tie.eq((nearest & (nearest - 1)[:count]).any())
            with m.If(self.take & tie):
                m.d.sync += start.eq(successor(self.plane, count))
        elif params.tie == "hash":
            m.d.comb += start.eq(self._hash())
        return m

    def _way(self, m: Module, plane: int, difference: Value) -> tuple[Value, Value]:
        """Build the shortest path in a plane; return its route value and weight."""
        params = self._params
        inverse, fold = params.inverse(plane), params.fold(plane)
        direct = Signal(params.bits, name=f"direct_{plane}")
        for k in range(params.bits):
            m.d.comb += direct[k].eq(Cat(difference[bit] for bit, parts in enumerate(inverse) if parts >> k & 1).xor())
        route = Signal(params.route_bits, name=f"route_{plane}")
        distance = Signal(params.distance_bits, name=f"distance_{plane}")
        if not fold:
            m.d.comb += route.eq(direct)
            m.d.comb += distance.eq(_weight(direct))
            return route, distance
        folded = Cat(direct ^ C(fold, params.bits), C(1, 1))
        direct_weight = Signal(range(params.bits + 1), name=f"direct_weight_{plane}")
        folded_weight = Signal(range(params.bits + 2), name=f"folded_weight_{plane}")
        shorter = Signal(name=f"shorter_{plane}")
        m.d.comb += direct_weight.eq(_weight(direct))
        m.d.comb += folded_weight.eq(_weight(folded))
        m.d.comb += shorter.eq(folded_weight < direct_weight)
        m.d.comb += route.eq(Mux(shorter, folded, direct))
        m.d.comb += distance.eq(Mux(shorter, folded_weight, direct_weight))
        return route, distance

    def _hash(self) -> Value:
        """Return the plane at which the search for the nearest plane starts, a hash of the addresses."""
        bits = self._params.plane_bits
        count = len(self._params.planes)
        terms: list[list[Value]] = [[C(0, 1)] for _ in range(bits)]
        for bit in range(self._params.bits):
            address = self.destination if bit & 1 else self.source
            terms[bit // 2 % bits].append(address[bit])
        parities = Cat(Cat(bits_of_one).xor() for bits_of_one in terms)
        return Mux(parities < count, parities, parities - count)[:bits]


def _weight(bits: Value) -> Value:
    """Return the number of bits that are 1, as a balanced tree of adders."""
    sums: Sequence[Value] = list(bits)
    while len(sums) > 1:
        sums = [sums[k] + sums[k + 1] if k + 1 < len(sums) else sums[k] for k in range(0, len(sums), 2)]
    return sums[0]
