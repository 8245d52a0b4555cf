"""Routes on a hyper-crossbar, computed from coordinates in the tag (docs/microarchitecture.md, section 12)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from models.formats import queued_route
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
        Only at an exchanger: its coordinates, laid out as in the tag.
    route : Out(queued_route)
        In the same cycle. `drop`: a coordinate or the local number is out of range.
    """

    def __init__(self, params: SwitchParams) -> None:
        if params.routing != "hyper_crossbar":
            raise ValueError(f'routing = {params.routing!r}: HyperCrossbar needs "hyper_crossbar"')
        self._params = params
        members = {"tag": In(params.address_bits), "route": Out(formats.queued_route(params))}
        if params.crossbar is None:
            members["position"] = In(sum(params.coordinate_bits))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the comparison of coordinates, or take the one that a crossbar resolves."""
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
            local = self.tag[low:]
            out = Signal(params.port_bits)
            m.d.comb += out.eq(params.first_local + (local * params.lanes if params.local_bits else 0))
            invalid = [local >= params.local_ports] if params.local_ports < 1 << params.local_bits else []
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
        layout = [(field.name, field.width) for field in queued_route(params)]
        # One assignment, constants and all: bits that never change would be processes that never run.
        parts = [Cat(fields[name], C(0, width))[:width] for name, width in layout]
        m.d.comb += self.route.as_value().eq(Cat(parts))
        return m
