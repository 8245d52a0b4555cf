"""Routes on a hyper-crossbar, computed from coordinates in the tag (docs/microarchitecture.md, section 12)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from models.params import SwitchParams


class HyperCrossbar(wiring.Component):
    """Route of a tag at an exchanger or at a crossbar.

    Parameters
    ----------
    params : SwitchParams
        With routing = "hyper_crossbar".

    Ports
    -----
    tag : In(address_bits)
        Coordinates, dimension 0 lowest, then the local port's number.
    position : In
        The exchanger's coordinates, laid out as in the tag; a crossbar does not look at it.
    route : Out(queued_route)
        In the same cycle. `drop`: a coordinate or the local number is out of range.
    """

    def __init__(self, params: SwitchParams) -> None:
        if params.routing != "hyper_crossbar":
            raise ValueError(f'routing = {params.routing!r}: HyperCrossbar needs "hyper_crossbar"')
        self._params = params
        super().__init__(
            {
                "tag": In(params.address_bits),
                "position": In(sum(params.coordinate_bits)),
                "route": Out(formats.queued_route(params)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the comparison of coordinates, or take the one that a crossbar resolves."""
        m = Module()
        params = self._params
        m.d.comb += self.route.vc_last.eq(params.vcs - 1)
        coordinates, low = [], 0
        for d, (size, bits) in enumerate(zip(params.radix, params.coordinate_bits, strict=True)):
            coordinates.append((d, size, self.tag[low : low + bits], self.position[low : low + bits]))
            low += bits
        if params.crossbar is not None:
            _, size, target, _ = coordinates[params.crossbar]
            m.d.comb += self.route.out.eq(target)
            m.d.comb += self.route.drop.eq(target >= size if size < 1 << len(target) else 0)
            return m

        local = self.tag[low:]
        m.d.comb += self.route.out.eq(params.first_local + local if params.local_bits else params.first_local)
        productive: list[Value] = []
        invalid = [local >= params.local_ports] if params.local_ports < 1 << params.local_bits else []
        for d, size, target, here in reversed(coordinates):
            differs = Signal(name=f"differs_{d}")
            m.d.comb += differs.eq(target != here)
            with m.If(differs):
                m.d.comb += self.route.out.eq(d)
            productive.insert(0, differs)
            if size < 1 << len(target):
                invalid.append(target >= size)
        if params.selects:
            m.d.comb += self.route.choices.eq(Cat(productive))
        m.d.comb += self.route.drop.eq(Cat(invalid).any() if invalid else 0)
        return m
