"""Wake hints, which run ahead of packets and wake the links of their paths (microarchitecture.md, section 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
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
        Coordinates of the switch, the first in the lowest bits; constant.
    hinted : Out(ports)
        Register: outputs that hints want, which were on the channels in the cycle before.
    hint_out : Out(ValidSignature(wake_hint)).array(first_local)
        Registers; all channels share one payload.
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
                "position": In(sum(params.position_bits)),
                "hinted": Out(params.ports),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the choice among ports, the route of the hint, and the register that all channels share."""
        m = Module()
        params = self._params
        hint, new_hint = (Signal(formats.wake_hint(params), name=name) for name in ("hint", "new_hint"))
        visible = Cat(channel.valid for channel in self.hint_in)
        passing = Signal()
        source = Signal(params.ports)
        m.d.comb += passing.eq(visible.any())
        m.d.comb += source.eq(Mux(passing, _lowest(visible), _lowest(self.complete)))
        arrived = select_hot(list(_lowest(visible)), [channel.payload.as_value() for channel in self.hint_in])
        m.d.comb += new_hint.destination.eq(select_hot(list(_lowest(self.complete)), list(self.address)))
        m.d.comb += hint.eq(Mux(passing, arrived, new_hint))

        m.submodules[params.routing] = computed = computed_route(params)
        m.d.comb += computed.tag.eq(hint.destination)
        m.d.comb += computed.position.eq(self.position)
        leads = Signal(params.ports)
        m.d.comb += leads.eq(Cat(self._leads(out, computed.route, source) for out in range(params.ports)))
        m.d.sync += self.hinted.eq(leads & passing.replicate(params.ports))

        onward = Signal(formats.wake_hint(params))
        hops = hint_hops(params.lpi)
        goes_on = ~passing
        m.d.sync += onward.destination.eq(hint.destination)
        if hops > 1:
            goes_on |= hint.hops.any()
            m.d.sync += onward.hops.eq(Mux(passing, hint.hops - 1, hops - 1))
        for out, channel in enumerate(self.hint_out):
            m.d.sync += channel.valid.eq(leads[out] & goes_on)
            m.d.comb += channel.payload.eq(onward)
        return m

    def _leads(self, out: int, route: Value, source: Value) -> Value:
        """Return whether a hint from one of the ports `source`, one-hot, leads to an output."""
        params = self._params
        ports = formats.inputs(params, out)
        return ~route.drop & Cat(source[port] & leads_to(params, port, route, out) for port in ports).any()


def _lowest(bits: Value) -> Value:
    """Return `bits` with only the lowest 1 left."""
    return Cat(bit & ~bits[:number].any() for number, bit in enumerate(bits))


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
