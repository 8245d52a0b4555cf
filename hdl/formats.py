"""Formats as Amaranth structs: layouts of `models.formats`, and signatures of links and of the counter read port.

No behaviour, so no bench of its own: with a wrong layout no bench of a component would find its ports.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from models import formats
from models.params import SwitchParams, index_width


class Meaning(NamedTuple):
    """What a member of a signature means, when it is taken and which side waits; "" if the member around it says."""

    text: str
    timing: str = ""


class Struct(data.StructLayout):
    """A struct that has the fields of `layout`, first field in the lowest bits."""

    def __init__(self, layout: formats.Layout) -> None:
        super().__init__({field.name: field.width for field in layout})
        self.layout = layout


def struct(layout: formats.Layout) -> Struct:
    """Return the struct with the fields of `layout`, first field in the lowest bits."""
    return Struct(layout)


def flit(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a flit."""
    return struct(formats.flit(params))


def body(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a flit as a VC buffer stores it: all fields but the VC."""
    return struct(tuple(field for field in formats.flit(params) if field.name != "vc"))


def credit(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a credit."""
    return struct(formats.credit(params))


def route(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a route."""
    return struct(formats.route(params))


def route_or_drop(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a route that may also say that there is none."""
    return struct(formats.route_or_drop(params))


def outputs(params: SwitchParams, port: int) -> list[int]:
    """Return the output ports that packets of input `port` can take: all, or with `u_turn` off all but `port`."""
    return [o for o in range(params.ports) if params.u_turn or o != port]


def inputs(params: SwitchParams, port: int) -> list[int]:
    """Return the input ports from which output `port` can take packets."""
    return outputs(params, port)


def select_bits(params: SwitchParams) -> int:
    """Return the width in bits of a number among `inputs`."""
    return index_width(len(inputs(params, 0)))


def front_route(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a route for the allocators: `want` is the output port, one-hot, or 0 to drop the packet."""
    return data.StructLayout({"want": params.ports, "vc_first": params.vc_bits, "vc_last": params.vc_bits})


def open_route(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a route before the adaptive choice: outputs `choices` may be taken instead of `want`.

    With look-ahead `target` holds the destination's coordinates.
    """
    fields = dict.fromkeys(("want", "choices"), params.ports) | dict.fromkeys(("vc_first", "vc_last"), params.vc_bits)
    if params.lookahead:
        fields["target"] = sum(params.coordinate_bits)
    return data.StructLayout(fields)


def cam_request(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a CAM request."""
    return struct(formats.cam_request(params))


def cam_answer(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a CAM answer."""
    return struct(formats.cam_answer(params))


def port_answer(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a CAM answer as the requesting port sees it: all fields but the port."""
    return struct(tuple(field for field in formats.cam_answer(params) if field.name != "port"))


def program(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a programming operation of the route table."""
    return struct(formats.program(params))


def lpi_time(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a write to a time register of low-power idle."""
    return struct(formats.lpi_time(params))


def wake_hint(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a wake hint."""
    return struct(formats.wake_hint(params))


def reserve_request(params: SwitchParams, outputs: int) -> data.StructLayout:
    """Return the struct of a reservation request for one of the `outputs` outputs of a crossbar."""
    return struct(formats.reserve_request(params, outputs))


def reserve_answer(params: SwitchParams) -> data.StructLayout:
    """Return the struct of the answer to a reservation request."""
    return struct(formats.reserve_answer(params))


class ValidSignature(wiring.Signature):
    """A payload that is taken in every cycle in which `valid` is 1; there is no `ready`.

    Members
    -------
    valid : Out(1)
    payload : Out(shape)
        Undefined while `valid` is 0.
    """

    meanings: ClassVar[dict[str, Meaning]] = {
        "valid": Meaning("1 if there is one in this cycle", "no ready: taken in that cycle"),
        "payload": Meaning("the word; undefined while valid is 0", "no ready: taken in that cycle"),
    }

    def __init__(self, shape: data.Layout) -> None:
        self._shape = shape
        super().__init__({"valid": Out(1), "payload": Out(shape)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValidSignature) and self._shape == other._shape

    def __repr__(self) -> str:
        return f"ValidSignature({self._shape!r})"


class LinkSignature(wiring.Signature):
    """One direction of a link, as seen by its sender (microarchitecture.md, section 2).

    Members
    -------
    flit : Out(ValidSignature)
        At most one flit per cycle, downstream.
    credit : In(ValidSignature)
        At most one credit per cycle, upstream.
    """

    meanings: ClassVar[dict[str, Meaning]] = {
        "flit": Meaning("flit", "no ready: the sender waits for a credit of the VC, the receiver takes it at once"),
        "credit": Meaning("credit", "no ready: one for each flit that left the receiver's buffer"),
    }

    def __init__(self, params: SwitchParams) -> None:
        self._flit, self._credit = flit(params), credit(params)
        super().__init__({"flit": Out(ValidSignature(self._flit)), "credit": In(ValidSignature(self._credit))})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinkSignature) and (self._flit, self._credit) == (other._flit, other._credit)

    def __repr__(self) -> str:
        return f"LinkSignature({self._flit!r}, {self._credit!r})"


STREAM: dict[str, Meaning] = {
    "valid": Meaning("1 if there is one in this cycle"),
    "ready": Meaning("1 if it is taken in this cycle"),
    "payload": Meaning("the word; undefined while valid is 0"),
}
"""Meanings of the members of `stream.Signature`."""


def meanings(signature: wiring.Signature) -> dict[str, Meaning]:
    """Return what the members of a signature mean."""
    found: dict[str, Meaning] = STREAM if isinstance(signature, stream.Signature) else signature.meanings
    return found


class CounterSignature(wiring.Signature):
    """Read port of the statistics counters, as seen by its reader (microarchitecture.md, section 9).

    Members
    -------
    port : Out(port_bits)
        Port of the counter to read.
    number : Out
        A `models.formats.Counter`.
    data : In(counter_width)
        Value of the counter that was addressed in the cycle before.
    """

    meanings: ClassVar[dict[str, Meaning]] = {
        "port": Meaning("port of the counter to read", "taken in each cycle"),
        "number": Meaning("number of the counter to read", "taken in each cycle"),
        "data": Meaning("value of that counter; 0 if there is none", "one cycle after port and number"),
    }

    def __init__(self, params: SwitchParams) -> None:
        self._widths = params.port_bits, index_width(formats.COUNTERS), params.counter_width
        port, number, width = self._widths
        super().__init__({"port": Out(port), "number": Out(number), "data": In(width)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CounterSignature) and self._widths == other._widths

    def __repr__(self) -> str:
        return f"CounterSignature{self._widths!r}"
