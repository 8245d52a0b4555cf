"""Routing on a k-ary n-tree: up by the destination's digits, then down (docs/explanation/computed_routes.md)."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value

from hdl.lib.computed_route import ComputedRoute


class FatTree(ComputedRoute):
    """Computes the route of a tag: down if the switch is above the node, else up, by the digit of the switch's level.

    Ports as in `ComputedRoute`.
    """

    routing: ClassVar[str] = "fat_tree"

    def elaborate(self, platform: object) -> Module:
        """Build the digit of the switch's level, and the comparison of the digits from there on."""
        m = Module()
        params = self._params
        arity, levels, bits = params.radix[0], len(params.radix), params.coordinate_bits[0]
        digits = [self.tag[low : low + bits] for low in range(0, bits * levels, bits)]
        level = self.position[: params.position_bits[0]]
        rest = self.position[len(level) :]
        own = [rest[low : low + bits] for low in range(0, bits * (levels - 1), bits)]

        down, digit = Signal(), Signal(bits)
        differs = [mine != digits[1 + i] for i, mine in enumerate(own)]
        with m.Switch(level):
            for number in range(levels):
                with m.Case(number):
                    m.d.comb += digit.eq(digits[number])
                    m.d.comb += down.eq(~Cat(differs[number:]).any())
        out = Signal(params.port_bits)
        m.d.comb += out.eq(Mux(down, arity + digit, digit))
        at_end = down & (level == 0)
        is_short = params.escape_vcs < params.vcs
        last, network_last = C(params.vcs - 1, params.vc_bits), C(params.escape_vcs - 1, params.vc_bits)
        lower = Cat(down & ~at_end & (digit == port) for port in range(arity))
        invalid: list[Value] = [each >= arity for each in digits] if arity < 1 << bits else []
        fields = {
            "out": out,
            "vc_first": C(0, 1),
            "vc_last": Mux(at_end, last, network_last) if is_short else last,
            "choices": Cat((~down).replicate(arity), lower),
            "drop": Cat(invalid).any() if invalid else C(0, 1),
        }
        m.d.comb += self.route.as_value().eq(self._packed(fields))
        return m
