"""Routing on a (folded) hypercube, lowest link first (Hosomi et al., 2021: paper D; microarchitecture.md, 5)."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import C, Cat, Module, Mux, Signal

from hdl.lib.computed_route import ComputedRoute
from hdl.lib.logic import weight


class Hypercube(ComputedRoute):
    """Computes the route of a tag: lowest generator of the shortest route value. Ports as in `ComputedRoute`."""

    routing: ClassVar[str] = "hypercube"

    def elaborate(self, platform: object) -> Module:
        """Build the difference of addresses, the route value by way of the fold if shorter, and the lowest link."""
        m = Module()
        params = self._params
        dimensions = len(params.radix)
        difference = Signal(dimensions)
        way = Signal(params.first_local)
        m.d.comb += difference.eq(self.tag[:dimensions] ^ self.position)
        if params.fold is None:
            m.d.comb += way.eq(difference)
        else:
            # The fold's link inverts the bits of `fold`: it is shorter where more than half of them, and the link
            # itself, are 1.
            shorter = Signal()
            turned = [difference[d] for d in range(dimensions) if params.fold >> d & 1]
            count, half = weight(turned), (len(turned) + 1) // 2
            m.d.comb += shorter.eq(Cat(count == ones for ones in range(half + 1, len(turned) + 1)).any())
            m.d.comb += way.eq(Cat(difference ^ (shorter.replicate(dimensions) & params.fold), shorter))

        node, invalid = self._node()
        out = Signal(params.port_bits)
        m.d.comb += out.eq(node)
        for link in reversed(range(params.first_local)):
            with m.If(way[link]):
                m.d.comb += out.eq(link)
        network_last, local_last = (C(vcs - 1, params.vc_bits) for vcs in (params.escape_vcs, params.vcs))
        is_short = params.escape_vcs < params.vcs
        fields = {
            "out": out,
            "vc_first": C(0, 1),
            "vc_last": Mux(way.any(), network_last, local_last) if is_short else local_last,
            "choices": way,
            "drop": Cat(invalid),
        }
        m.d.comb += self.route.as_value().eq(self._packed(fields))
        return m
