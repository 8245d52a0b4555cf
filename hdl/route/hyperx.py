"""Routing on a HyperX, lowest dimension first (Ahn et al., SC 2009; docs/explanation/computed_routes.md)."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value

from hdl.lib.computed_route import ComputedRoute


class HyperX(ComputedRoute):
    """Computes the route of a tag: the link to its coordinate in the lowest dimension that differs.

    Ports as in `ComputedRoute`.
    """

    routing: ClassVar[str] = "hyperx"

    def elaborate(self, platform: object) -> Module:
        """Build the port of each dimension, and select that of the lowest dimension that differs."""
        m = Module()
        params = self._params
        node, invalid = self._node()
        out = Signal(params.port_bits)
        m.d.comb += out.eq(node)
        first, low = params.first_local, sum(params.coordinate_bits)
        any_differs: list[Value] = []
        choices: list[Value] = []
        for d, (size, bits) in reversed(list(enumerate(zip(params.radix, params.coordinate_bits, strict=True)))):
            first, low = first - (size - 1), low - bits
            target, here = self.tag[low : low + bits], self.position[low : low + bits]
            differs = Signal(name=f"differs_{d}")
            port = Signal(params.port_bits, name=f"port_{d}")
            m.d.comb += differs.eq(target != here)
            # One port for each other coordinate: those above the switch's own are one lower.
            m.d.comb += port.eq(target + Mux(target > here, first - 1, first) if first else target - (target > here))
            with m.If(differs):
                m.d.comb += out.eq(port)
            any_differs.append(differs)
            choices = [differs & (port == first + place) for place in range(size - 1)] + choices
            if size < 1 << bits:
                invalid.append(target >= size)
        network_last, local_last = (C(vcs - 1, params.vc_bits) for vcs in (params.escape_vcs, params.vcs))
        is_short = params.escape_vcs < params.vcs
        fields = {
            "out": out,
            "vc_first": C(0, 1),
            "vc_last": Mux(Cat(any_differs).any(), network_last, local_last) if is_short else local_last,
            "choices": Cat(choices),
            "drop": Cat(invalid).any() if invalid else C(0, 1),
        }
        m.d.comb += self.route.as_value().eq(self._packed(fields))
        return m
