"""Wake hints, which run ahead of packets and wake the links of their paths (microarchitecture.md, section 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out, connect, flipped

from hdl import formats
from hdl.lib.logic import select_hot
from hdl.route.route_unit import computed_route, leads_to
from models.params import SwitchParams, hint_hops


def hint_ports(params: SwitchParams) -> dict[str, Member]:
    """Return the hint channels of a switch, by name: one each way per link to a switch; empty without hints."""
    if not hint_hops(params.lpi):
        return {}
    channel = formats.ValidSignature(formats.wake_hint(params))
    return {"hint_in": In(channel).array(params.first_local), "hint_out": Out(channel).array(params.first_local)}


class WakeHints(wiring.Component):
    """Sends a hint ahead of each packet, and passes on those that arrive; each wakes the link that it will take.

    Parameters
    ----------
    params : SwitchParams
        With lpi.hints > 0.

    Ports
    -----
    hint_in : In(ValidSignature(wake_hint)).array(first_local)
        Per input port with a link from a switch: a hint on its channel.
    complete, address : In(ports), In(address_bits).array(ports)
        Per input port: a header is complete; its address.
    position : In
        Coordinates of the switch, laid out as in the tag; constant.
    hinted : Out(ports)
        Outputs that hints on the channels want in this cycle.
    hint_out : Out(ValidSignature(wake_hint)).array(first_local)
        Registers.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not hint_hops(params.lpi):
            raise ValueError("lpi.hints is 0: WakeHints needs at least 1")
        self._params = params
        super().__init__(
            {
                **hint_ports(params),
                "complete": In(params.ports),
                "address": In(params.address_bits).array(params.ports),
                "position": In(sum(params.coordinate_bits)),
                "hinted": Out(params.ports),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the candidate of each input port, and per channel the choice among them."""
        m = Module()
        ports, channels = self._params.ports, self._params.first_local
        hints = [Signal(formats.wake_hint(self._params), name=f"candidate_{port}") for port in range(ports)]
        wants: list[list[Value]] = [[] for _ in range(ports)]
        onward: list[dict[int, Value]] = [{} for _ in range(channels)]
        for port, hint in enumerate(hints):
            passing = self.hint_in[port].valid if port < channels else C(0)
            goes_on = self._candidate(m, port, hint, passing)
            for out, leads in self._outputs(m, port, hint, passing).items():
                wants[out].append(passing & leads)
                if out < channels:
                    onward[out][port] = leads & goes_on
        m.d.comb += self.hinted.eq(Cat(Cat(each).any() for each in wants))
        for channel, asking in zip(self.hint_out, onward, strict=True):
            asks = list(asking.values())
            first = [ask & ~Cat(asks[:number]).any() for number, ask in enumerate(asks)]
            chosen = select_hot(first, [hints[port].as_value() for port in asking])
            m.d.sync += channel.valid.eq(Cat(asks).any())
            m.d.sync += channel.payload.eq(chosen)
        return m

    def _candidate(self, m: Module, port: int, hint: Any, passing: Value) -> Value:
        """Build the hint that the candidate of a port becomes on the next channel; return whether it goes on."""
        hops = hint_hops(self._params.lpi)
        if port >= self._params.first_local:
            m.d.comb += hint.destination.eq(self.address[port])
            if hops > 1:
                m.d.comb += hint.hops.eq(hops - 1)
            return C(1)
        arrived = self.hint_in[port].payload
        m.d.comb += hint.destination.eq(Mux(passing, arrived.destination, self.address[port]))
        if hops == 1:
            return ~passing
        m.d.comb += hint.hops.eq(Mux(passing, arrived.hops - 1, hops - 1))
        return ~passing | arrived.hops.any()

    def _outputs(self, m: Module, port: int, hint: Any, passing: Value) -> dict[int, Value]:
        """Return, per output that the candidate of a port can take, whether there is one and takes it."""
        params = self._params
        m.submodules[f"route_{port}"] = computed = computed_route(params)
        m.d.comb += computed.tag.eq(hint.destination)
        m.d.comb += computed.position.eq(self.position)
        valid = Signal(name=f"valid_{port}")
        m.d.comb += valid.eq((passing | self.complete[port]) & ~computed.route.drop)
        return {out: valid & leads_to(params, port, computed.route, out) for out in formats.outputs(params, port)}


def connect_hints(m: Module, params: SwitchParams, inner: Any, outer: Any) -> None:
    """Connect the hint channels of a component to the same channels of the one that contains it."""
    for name in hint_ports(params):
        for own, others in zip(getattr(inner, name), getattr(outer, name), strict=True):
            connect(m, own, flipped(others))


def add_wake_hints(m: Module, params: SwitchParams, switch: Any, routes: Sequence[Any]) -> Value:
    """Build the hints of a switch, and return the outputs that they want.

    Parameters
    ----------
    m : Module
        Of the switch.
    params : SwitchParams
    switch : Switch
        With the ports `hint_ports` and `position`.
    routes : sequence
        Per input port: `complete` and `address` of its route unit.
    """
    m.submodules.wake_hints = hints = WakeHints(params)
    m.d.comb += hints.position.eq(switch.position)
    for port, unit in enumerate(routes):
        m.d.comb += hints.complete[port].eq(unit.complete)
        m.d.comb += hints.address[port].eq(unit.address)
    connect_hints(m, params, hints, switch)
    return hints.hinted
