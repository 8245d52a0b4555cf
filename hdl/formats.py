"""Layouts of `models.formats` as Amaranth structs, and the signatures of links and of the counter read port.

Plumbing: it says what is where and does nothing, so it has no bench; those of its users would not find their ports.
"""

from __future__ import annotations

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from models import formats
from models.params import SwitchParams, index_width


def struct(layout: formats.Layout) -> data.StructLayout:
    """Return the struct with a layout's fields, first field lowest."""
    return data.StructLayout({field.name: field.width for field in layout})


def flit(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a flit."""
    return struct(formats.flit(params))


def body(params: SwitchParams) -> data.StructLayout:
    """Return the struct of what a VC buffer stores of a flit: all but the VC."""
    return struct(tuple(field for field in formats.flit(params) if field.name != "vc"))


def credit(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a credit."""
    return struct(formats.credit(params))


def route(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a route."""
    return struct(formats.route(params))


def route_or_drop(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a route, or that there is none."""
    return struct(formats.route_or_drop(params))


def outputs(params: SwitchParams, port: int) -> list[int]:
    """Return the output ports that packets of an input port can take: all, or all but its own."""
    return [o for o in range(params.ports) if params.u_turn or o != port]


def inputs(params: SwitchParams, port: int) -> list[int]:
    """Return the input ports from which an output port can take packets."""
    return outputs(params, port)


def select_bits(params: SwitchParams) -> int:
    """Return the bits that number `inputs`."""
    return index_width(len(inputs(params, 0)))


def front_route(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a route at work: `want` is one-hot, the output port, or 0 to drop the packet."""
    return data.StructLayout({"want": params.ports, "vc_first": params.vc_bits, "vc_last": params.vc_bits})


def open_route(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a route before a choice: `choices` are outputs that may be taken instead of `want`.

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
    """Return the struct of a CAM answer as the port that asked sees it: all but the port."""
    return struct(tuple(field for field in formats.cam_answer(params) if field.name != "port"))


def program(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a programming operation of the route table."""
    return struct(formats.program(params))


def lpi_time(params: SwitchParams) -> data.StructLayout:
    """Return the struct of a write to a time of low-power idle."""
    return struct(formats.lpi_time(params))


def reserve_request(params: SwitchParams, outputs: int) -> data.StructLayout:
    """Return the struct of a request for an output of a crossbar that has so many."""
    return struct(formats.reserve_request(params, outputs))


def reserve_answer(params: SwitchParams) -> data.StructLayout:
    """Return the struct of the answer to a request."""
    return struct(formats.reserve_answer(params))


class ValidSignature(wiring.Signature):
    """A payload that counts in the cycles in which `valid` is 1; the receiver can never refuse it.

    Members
    -------
    valid : Out(1)
    payload : Out(shape)
        Anything while `valid` is 0.
    """

    def __init__(self, shape: data.Layout) -> None:
        self._shape = shape
        super().__init__({"valid": Out(1), "payload": Out(shape)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValidSignature) and self._shape == other._shape

    def __repr__(self) -> str:
        return f"ValidSignature({self._shape!r})"


class LinkSignature(wiring.Signature):
    """One direction of a link as its sender sees it (microarchitecture.md, section 2).

    Members
    -------
    flit : Out(ValidSignature)
        One flit a cycle forward.
    credit : In(ValidSignature)
        One credit a cycle back.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._flit, self._credit = flit(params), credit(params)
        super().__init__({"flit": Out(ValidSignature(self._flit)), "credit": In(ValidSignature(self._credit))})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinkSignature) and (self._flit, self._credit) == (other._flit, other._credit)

    def __repr__(self) -> str:
        return f"LinkSignature({self._flit!r}, {self._credit!r})"


class CounterSignature(wiring.Signature):
    """Read port of the statistics counters as its reader sees it (microarchitecture.md, section 9).

    Members
    -------
    port : Out(port_bits)
        Port whose counter is read.
    number : Out
        A `models.formats.Counter`.
    data : In(counter_width)
        Value of the counter addressed in the cycle before.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._widths = params.port_bits, index_width(formats.COUNTERS), params.counter_width
        port, number, width = self._widths
        super().__init__({"port": Out(port), "number": Out(number), "data": In(width)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CounterSignature) and self._widths == other._widths

    def __repr__(self) -> str:
        return f"CounterSignature{self._widths!r}"
