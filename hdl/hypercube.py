"""Routes on a hypercube, computed from coordinates in the tag (docs/microarchitecture.md, section 5)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.logic import weight
from models.formats import queued_route
from models.params import SwitchParams


class Hypercube(wiring.Component):
    """Route of a tag on a hypercube: the lowest generator of the shortest way.

    Parameters
    ----------
    params : SwitchParams
        With routing = "hypercube".

    Ports
    -----
    tag : In(address_bits)
        Coordinates, dimension 0 lowest, then the local port's number.
    position : In
        The switch's coordinates, laid out as in the tag.
    route : Out(queued_route)
        In the same cycle. `drop`: the local number is out of range.
    """

    def __init__(self, params: SwitchParams) -> None:
        if params.routing != "hypercube":
            raise ValueError(f'routing = {params.routing!r}: Hypercube needs "hypercube"')
        self._params = params
        super().__init__(
            {
                "tag": In(params.address_bits),
                "position": In(sum(params.coordinate_bits)),
                "route": Out(formats.queued_route(params)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the difference, the way around it where the fold makes it shorter, and the lowest link of it."""
        m = Module()
        params = self._params
        dimensions = len(params.radix)
        difference = Signal(dimensions)
        way = Signal(params.first_local)
        m.d.comb += difference.eq(self.tag[:dimensions] ^ self.position)
        if params.fold is None:
            m.d.comb += way.eq(difference)
        else:
            # Its link inverts the bits of the fold: it pays where more than half of them, and itself, are 1.
            shorter = Signal()
            turned = [difference[d] for d in range(dimensions) if params.fold >> d & 1]
            count, half = weight(turned), (len(turned) + 1) // 2
            m.d.comb += shorter.eq(Cat(count == ones for ones in range(half + 1, len(turned) + 1)).any())
            m.d.comb += way.eq(Cat(difference ^ (shorter.replicate(dimensions) & params.fold), shorter))

        local = self.tag[dimensions:]
        out = Signal(params.port_bits)
        m.d.comb += out.eq(params.first_local + (local * params.lanes if params.local_bits else 0))
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
            "drop": local >= params.local_ports if params.local_ports < 1 << params.local_bits else C(0, 1),
        }
        layout = [(field.name, field.width) for field in queued_route(params)]
        # One assignment, constants and all: bits that never change would be processes that never run.
        parts = [Cat(fields[name], C(0, width))[:width] for name, width in layout]
        m.d.comb += self.route.as_value().eq(Cat(parts))
        return m
