"""Formats: field layouts of flits, credits, routes, CAM entries; counter numbers (microarchitecture.md, 2 to 9).

A layout lists fields from the least significant bit upwards. `hdl/formats.py` turns layouts into `data.StructLayout`,
benches use `pack` and `unpack`, and `docs/reference/formats.md` is generated from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from models.params import TIME_BITS, SwitchParams, hint_hops, index_width


@dataclass(frozen=True)
class Field:
    """One field: name, width in bits, meaning."""

    name: str
    width: int
    meaning: str


Layout = tuple[Field, ...]


class Counter(IntEnum):
    """Numbers of the statistics counters of a port (microarchitecture.md, section 9)."""

    FLITS_IN = 0
    PACKETS_IN = 1
    FLITS_OUT = 2
    PACKETS_OUT = 3
    FLITS_DROPPED = 4
    PACKETS_DROPPED = 5
    CACHE_HITS = 6
    CACHE_MISSES = 7
    EVICTIONS = 8
    CAM_REQUESTS = 9
    CAM_MERGED = 10
    CAM_STALLS = 11
    LINK_ACT = 12
    LINK_SLEEP = 13
    LINK_LPI = 14
    LINK_REFRESH = 15
    LINK_WAKE = 16
    LINK_WAKES = 17
    PREDICT_RIGHT = 18
    PREDICT_WRONG = 19
    BYPASS_HEADS = 20
    BYPASS_FLITS = 21
    BYPASS_SQUASHED = 22


COUNTERS = len(Counter)


def flit(params: SwitchParams) -> Layout:
    """Return the payload of a link's forward direction in one cycle, without its valid bit."""
    return (
        Field("vc", params.vc_bits, "virtual channel"),
        Field("tail", 1, "last flit of its packet"),
        Field("data", params.data_width, "payload; the first header_flits flits carry the destination tag"),
    )


def tag(params: SwitchParams) -> Layout:
    """Return the destination tag of a header: with computed routes coordinates, else the number that tables match."""
    if params.linear:
        return (Field("tag", params.tag_width, f"entry of the table; {params.table_entries} or more: dropped"),)
    if not params.computed:
        return (Field("tag", params.tag_width, "destination, as programmed"),)
    fields = [
        *(Field(f"tie_{number}", 1, "half-way round a ring: 0: +, 1: −") for number in range(params.tie_bits)),
        *_coordinates(params.coordinate_bits, params.radix),
    ]
    if params.local_bits:
        fields.append(Field("local", params.local_bits, f"node of the switch, below {params.local_ports}"))
    rest = params.tag_width - params.address_bits
    return (*fields, *((Field("unused", rest, "ignored"),) if rest else ()))


def position(params: SwitchParams) -> Layout:
    """Return the coordinates of a switch that computes routes."""
    return _coordinates(params.position_bits, params.position_radix)


def _coordinates(widths: Sequence[int], radix: Sequence[int]) -> Layout:
    """Return a field for each coordinate, given widths in bits and numbers of values."""
    values = enumerate(zip(widths, radix, strict=True))
    return tuple(Field(f"x_{d}", bits, f"coordinate {d}, below {k}") for d, (bits, k) in values)


def header(params: SwitchParams) -> tuple[tuple[int, int], ...]:
    """Return the bits of the tag that each header flit carries in the lowest bits of `data`: high, low."""
    size = params.data_width
    return tuple((min(low + size, params.tag_width) - 1, low) for low in range(0, params.tag_width, size))


def credit(params: SwitchParams) -> Layout:
    """Return the payload of a link's backward direction in one cycle, without its valid bit."""
    return (Field("vc", params.vc_bits, "virtual channel in which one flit left the receiver's buffer"),)


def route(params: SwitchParams) -> Layout:
    """Return a route as stored in caches, CAM answers and tables."""
    return (
        Field("out", params.port_bits, "output port"),
        Field("vc_first", params.vc_bits, "first output VC the packet may take"),
        Field("vc_last", params.vc_bits, "last output VC the packet may take"),
        *_choices(params),
    )


def _choices(params: SwitchParams) -> Layout:
    if not params.selects:
        return ()
    return (Field("choices", params.ports, "adaptive routing: outputs the packet may take instead, one bit each"),)


def route_or_drop(params: SwitchParams) -> Layout:
    """Return a route with a drop bit, as the components that compute routes give it."""
    return (*route(params), Field("drop", 1, "drain the packet and count it"))


def cam_request(params: SwitchParams) -> Layout:
    """Return a request to the CAM."""
    return (
        Field("port", params.port_bits, "asking input port"),
        Field("tag", params.tag_width, "destination tag"),
    )


def cam_answer(params: SwitchParams) -> Layout:
    """Return an answer of the CAM."""
    return (
        Field("port", params.port_bits, "input port that asked"),
        Field("found", 1, "the destination is known"),
        *route(params),
    )


def program(params: SwitchParams) -> Layout:
    """Return one programming operation of the table."""
    return (
        Field("tag", params.tag_width, "destination tag"),
        Field("found", 1, "1: enter the route; 0: remove the destination"),
        *route(params),
        *_ternary(params),
    )


def _ternary(params: SwitchParams) -> Layout:
    if not params.ternary:
        return ()
    return (
        Field("mask", params.tag_width, "ternary match: 1 where the tag is compared"),
        Field("entry", params.cam.index_bits, "ternary match: number of the entry; the lowest that matches wins"),
    )


def cam_entry(params: SwitchParams) -> Layout:
    """Return the 12-byte entry of an off-chip CAM (paper A, section 3.2.1); hardware stores only the `route`.

    Adaptive routing and ternary match make it longer.
    """
    return (
        Field("tag", 64, f"destination tag, {params.tag_width} bits used"),
        Field("out", 16, "output port"),
        Field("vc_first", 4, "QoS field: first output VC"),
        Field("vc_last", 4, "QoS field: last output VC"),
        Field("reserved", 8, "zero"),
        *_choices(params),
        *((Field("mask", 64, f"ternary match: as the tag, {params.tag_width} bits used"),) if params.ternary else ()),
    )


def lpi_time(params: SwitchParams) -> Layout:
    """Return one write to a time register of low-power idle."""
    return (
        Field("number", 2, "0: idle (T_lt), 1: sleep (T_ls), 2: wake (T_lw); 3: none"),
        Field("cycles", TIME_BITS, "new value; 0 counts as 1; idle with all ones: never"),
    )


def wake_hint(params: SwitchParams) -> Layout:
    """Return a wake hint, without its valid bit."""
    hops = hint_hops(params.lpi)
    more = (Field("hops", index_width(hops), "switches to which it goes on after the next one"),) if hops > 1 else ()
    return (*more, Field("destination", params.address_bits, "address bits of the packet's destination tag"))


def reserve_request(params: SwitchParams, outputs: int) -> Layout:
    """Return a reservation request of an exchanger to a crossbar with `outputs` outputs, without its valid bit."""
    return (
        Field("vc", params.vc_bits, "virtual channel asked for"),
        Field("output", index_width(outputs), "output of the crossbar asked for"),
    )


def reserve_answer(params: SwitchParams) -> Layout:
    """Return the answer of a crossbar to a reservation request, without its valid bit."""
    return (
        Field("vc", params.vc_bits, "virtual channel that was asked for"),
        Field("granted", 1, "1: it is reserved"),
    )


def width(layout: Layout) -> int:
    """Return the total width of a layout in bits."""
    return sum(field.width for field in layout)


def pack(layout: Layout, values: dict[str, int]) -> int:
    """Pack field values into one word.

    Raises
    ------
    ValueError
        If a value does not fit its field, or the names differ from the layout's.
    """
    names = {field.name for field in layout}
    if names != set(values):
        raise ValueError(f"fields {sorted(values)}: the layout has {sorted(names)}")
    word = shift = 0
    for field in layout:
        value = values[field.name]
        if not 0 <= value < 1 << field.width:
            raise ValueError(f"{field.name} = {value}: must fit {field.width} bits, 0 to {(1 << field.width) - 1}")
        word |= value << shift
        shift += field.width
    return word


def unpack(layout: Layout, word: int) -> dict[str, int]:
    """Return the field values in one word."""
    values = {}
    for field in layout:
        values[field.name] = word & ((1 << field.width) - 1)
        word >>= field.width
    return values
