"""Dimension-order routing on meshes and tori, with datelines (Dally and Towles, 8.4, 14.2; microarchitecture.md, 5)."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value

from hdl.lib.computed_route import ComputedRoute
from models.params import SwitchParams


def kept_class(params: SwitchParams, port: int, vc: Value, route: Value) -> tuple[Value, Value]:
    """Return first and last VC of `route` at input `port`, for a packet that came on VC `vc`.

    With fixed classes a packet that goes straight on in a ring keeps its VC class.
    """
    out = port ^ 1
    if params.ring_classes != "fixed" or out >= params.first_local or not in_classes(params, out // 2):
        return route.vc_first, route.vc_last
    half = params.vcs // 2
    straight, upper = route.out == out, vc >= half
    first, last = Mux(upper, half, 0), Mux(upper, params.vcs - 1, half - 1)
    return Mux(straight, first, route.vc_first), Mux(straight, last, route.vc_last)


def in_classes(params: SwitchParams, dimension: int) -> bool:
    """Return whether VCs are split into classes in a dimension: in rings of 4 or more switches."""
    return params.rings[dimension] and params.radix[dimension] > 3


def dateline_vc_class(params: SwitchParams, plus: Value, above: Value) -> tuple[Value, Value]:
    """Return first and last VC of a packet on a ring: of the lower class before the link that wraps around, else upper.

    Going +, a destination below has that link ahead; going −, one above. With fixed classes who crosses it is in the
    upper class going +, in the lower one going −.
    """
    ahead = plus ^ above
    lower = above if params.ring_classes == "fixed" else ahead
    upper, vcs = params.escape_vcs // 2, params.escape_vcs
    return Mux(lower, 0, upper), Mux(lower, upper - 1, vcs - 1)


class DimensionOrder(ComputedRoute):
    """Computes the route of a tag on a mesh or torus: in the lowest dimension where it differs from the position.

    Ports as in `ComputedRoute`.
    """

    routing: ClassVar[str] = "dimension_order"

    def elaborate(self, platform: object) -> Module:
        """Build the route in each dimension, and select that of the lowest dimension that differs."""
        m = Module()
        params = self._params
        node, invalid = self._node()
        m.d.comb += self.route.out.eq(node)
        m.d.comb += self.route.vc_last.eq(params.vcs - 1)
        vcs = params.escape_vcs

        low, choices, productive = 0, [], []
        address, ties = self.tag[params.tie_bits :], iter(self.tag[: params.tie_bits])
        for d, (k, bits) in enumerate(zip(params.radix, params.coordinate_bits, strict=True)):
            destination = Signal(bits, name=f"destination_{d}")
            here = Signal(bits, name=f"here_{d}")
            differs = Signal(name=f"differs_{d}")
            above = Signal(name=f"above_{d}")
            plus = Signal(name=f"plus_{d}")
            m.d.comb += destination.eq(address[low : low + bits])
            m.d.comb += here.eq(self.position[low : low + bits])
            m.d.comb += differs.eq(destination != here)
            m.d.comb += above.eq(destination > here)
            shorter, half = above, C(0)
            if params.rings[d]:
                minus = next(ties) if params.tie_bits and k % 2 == 0 else here[0]
                shorter, half = self._ring_plus(m, d, destination, here, above, minus)
            m.d.comb += plus.eq(shorter)
            productive += [differs & (plus | half), differs & (~plus | half)]
            if k < 1 << bits:
                invalid.append(destination >= k)
            choices.append((d, differs, above, plus))
            low += bits

        for d, differs, above, plus in reversed(choices):
            with m.If(differs):
                m.d.comb += self.route.out.eq(Mux(plus, 2 * d, 2 * d + 1))
                if in_classes(params, d):
                    first, last = dateline_vc_class(params, plus, above)
                    m.d.comb += self.route.vc_first.eq(first)
                    m.d.comb += self.route.vc_last.eq(last)
                else:
                    m.d.comb += self.route.vc_first.eq(0)
                    m.d.comb += self.route.vc_last.eq(vcs - 1)
        if params.selects:
            m.d.comb += self.route.choices.eq(Cat(productive))
        m.d.comb += self.route.drop.eq(Cat(invalid).any() if invalid else 0)
        return m

    def _ring_plus(
        self, m: Module, d: int, destination: Value, here: Value, above: Value, minus: Value
    ) -> tuple[Value, Value]:
        """Return whether the shorter way round a ring is + (in a tie unless `minus`), and whether it is a tie."""
        k = self._params.radix[d]
        distance = Signal(len(here) + 1, name=f"distance_{d}")
        m.d.comb += distance.eq(destination - here + Mux(above, 0, C(k)))
        if k % 2:
            return distance <= k // 2, C(0)
        half = distance == k // 2
        return (distance < k // 2) | (half & ~minus), half
