"""Routing on a hyper-crossbar: exchangers and crossbars (Boku et al.: paper E; microarchitecture.md, section 12)."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import C, Cat, Module, Signal, Value

from hdl.lib.computed_route import ComputedRoute


class HyperCrossbar(ComputedRoute):
    """Computes the route of a tag at an exchanger or at a crossbar. Ports as in `ComputedRoute`."""

    routing: ClassVar[str] = "hyper_crossbar"

    def elaborate(self, platform: object) -> Module:
        """Build the comparison of coordinates (exchanger), or take the coordinate of the crossbar's dimension."""
        m = Module()
        params = self._params
        coordinates, low = [], 0
        for d, (size, bits) in enumerate(zip(params.radix, params.coordinate_bits, strict=True)):
            coordinates.append((d, size, slice(low, low + bits)))
            low += bits
        choices: list[Value] = []
        if params.crossbar is not None:
            _, size, place = coordinates[params.crossbar]
            out = target = self.tag[place]
            invalid = [target >= size] if size < 1 << len(target) else []
        else:
            node, invalid = self._node()
            out = Signal(params.port_bits)
            m.d.comb += out.eq(node)
            for d, size, place in reversed(coordinates):
                target = self.tag[place]
                differs = Signal(name=f"differs_{d}")
                m.d.comb += differs.eq(target != self.position[place])
                with m.If(differs):
                    m.d.comb += out.eq(d)
                choices.insert(0, differs)
                if size < 1 << len(target):
                    invalid.append(target >= size)
        fields = {"out": out, "vc_first": C(0, 1), "vc_last": C(params.vcs - 1, params.vc_bits)}
        fields |= {"choices": Cat(choices), "drop": Cat(invalid).any() if invalid else C(0, 1)}
        m.d.comb += self.route.as_value().eq(self._packed(fields))
        return m
