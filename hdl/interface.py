"""Ports of a switch: for each its member, what it means, and which side waits for what.

Plumbing, so no model and no bench of its own: with a wrong member no bench of a switch would find its ports.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.route.lookahead import ahead_ports
from hdl.route.reservation import reserve_ports
from hdl.route.wake_hint import hint_ports
from models import formats as layouts
from models.params import SwitchParams

REGISTER = "register: changes after a rising edge of clk"
CONSTANT = "constant while the switch is in use"


@dataclass(frozen=True)
class Port:
    """A port of a switch.

    Attributes
    ----------
    member : wiring.Member
        Its direction and shape, or its signature.
    meaning : str
        What it carries.
    timing : str
        When it is taken, and which side waits; "" if its signature says so.
    layout : Layout
        Fields of a number whose shape does not name them.
    """

    member: wiring.Member
    meaning: str
    timing: str = ""
    layout: layouts.Layout = ()


def switch_ports(params: SwitchParams, *, table: bool) -> dict[str, Port]:
    """Return the ports of a switch by name: with its table, or with the interface of the CAM that it lacks."""
    ports = common_ports(params)
    if not params.has_cam:
        return ports
    return ports | (program_port(params) if table else cam_ports(params))


def members(ports: dict[str, Port]) -> dict[str, wiring.Member]:
    """Return the members of ports, for the signature of a component."""
    return {name: port.member for name, port in ports.items()}


def common_ports(params: SwitchParams) -> dict[str, Port]:
    """Return the ports that a switch has with and without its table."""
    link = formats.LinkSignature(params)
    ports = {
        "link_in": Port(In(link).array(params.ports), "link into port i"),
        "link_out": Port(Out(link).array(params.ports), "link out of port i"),
    }
    if params.computed and params.crossbar is None:
        layout = layouts.position(params)
        ports["position"] = Port(In(layouts.width(layout)), "coordinates of this switch", CONSTANT, layout)
    if params.lookahead:
        ports |= _lookahead(params)
    if params.has_cache:
        sets = params.cache.sets
        ports["flush"] = Port(In(1), "1: empty the route caches of all ports", f"one cycle starts {sets} of flushing")
        ports["flushing"] = Port(
            Out(1, init=1), "1: all lookups miss, nothing is cached", f"1 in the first {sets} cycles after reset, too"
        )
    if params.linear:
        ports |= program_port(params)
    if params.lpi:
        ports |= _low_power(params)
    if params.counter_width:
        ports["counter"] = Port(In(formats.CounterSignature(params)), "statistics")
    return ports


def _lookahead(params: SwitchParams) -> dict[str, Port]:
    """Return the ports of look-ahead and of reservation."""
    free = "free outputs of the crossbar of dimension {}: bit w · {} + o for output o, VC w"
    if params.selects:
        ports = {
            name: Port(In(width), free.format(name.removeprefix("ahead_"), width // params.vcs), "taken in each cycle")
            for name, width in ahead_ports(params).items()
        }
    else:
        bits = params.ports * params.vcs
        meaning = f"free outputs of this crossbar: bit w · {params.ports} + o for output o, VC w"
        ports = {"open": Port(Out(bits, init=(1 << bits) - 1), meaning, REGISTER)}
    for name, member in (reserve_ports(params) if params.reserves else {}).items():
        asks = name.startswith("reserve")
        timing = "no ready: answered once, in the cycle after it is seen" if asks else "one per request; never waits"
        ports[name] = Port(member, "request for an output of a crossbar" if asks else "answer to a request", timing)
    return ports


def _low_power(params: SwitchParams) -> dict[str, Port]:
    """Return the ports of low-power idle and of wake hints."""
    ports = {
        "lpi_hint": Port(In(params.ports), "bit o is 1: wake output link o, or keep it awake", "taken in each cycle"),
        "lpi_time": Port(In(formats.ValidSignature(formats.lpi_time(params))), "write of a time register"),
    }
    for name, member in hint_ports(params).items():
        ports[name] = Port(member, f"wake hint {'from' if name == 'hint_in' else 'to'} the switch at port i")
    return ports


def program_port(params: SwitchParams) -> dict[str, Port]:
    """Return the port that programs routes."""
    cached = "; route caches keep the old route: flush" if params.has_cache else ""
    channel = formats.ValidSignature(formats.program(params))
    timing = f"no ready: taken in that cycle, seen by headers of later cycles{cached}"
    return {"program": Port(In(channel), "write of an entry of the route table", timing)}


def cam_ports(params: SwitchParams) -> dict[str, Port]:
    """Return the interface of the CAM."""
    request = stream.Signature(formats.cam_request(params))
    return {
        "cam_request": Port(
            Out(request),
            "lookup of a destination",
            "held until a cycle in which valid and ready are 1: the switch waits",
        ),
        "cam_answer_valid": Port(
            In(1), "1: `cam_answer` counts in this cycle", "one per request, in their order; the switch never waits"
        ),
        "cam_answer": Port(In(formats.cam_answer(params)), "the route found", "counts while cam_answer_valid is 1"),
    }
