"""Conversion between arrays of the golden model (`models.top`) and words of a Verilated switch; comparison.

The model carries a flit as a handle and the low 64 bits of its data. The other data bits are a hash of the handle, so
that every bit of a wide flit is checked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cocotb_tests.runner.port_layout import Layout
from models import formats
from models.formats import COUNTERS
from models.jit.compiled import compiled
from models.jit.struct_pointer import struct_pointer
from models.params import TIME_BITS, SwitchParams, hint_hops, index_width
from models.route.reservation import reserve_granted, reserve_output, reserve_vc
from models.top import (
    CHOICES,
    COUNTER,
    COUNTER_DATA,
    COUNTER_PORT,
    CREDIT,
    CREDIT_VC,
    DATA,
    DESTINATION,
    ENTRY,
    FIRST_AHEAD,
    FIRST_OPEN,
    FLIT,
    FLIT_VC,
    FLUSH,
    FLUSHING,
    FOUND,
    HANDLE,
    HINT,
    HOPS,
    MASK,
    OUT,
    PROGRAM,
    RESET,
    TAG,
    TAIL,
    TIME,
    TIME_CYCLES,
    TIME_NUMBER,
    VC_FIRST,
    VC_LAST,
    WAKE_HINT,
    control_inputs,
    control_outputs,
)

RING = 1 << 20  # handles whose data is kept; far more than a switch can hold

NUMBER_BITS = index_width(COUNTERS)
ABSENT = -1  # offset of a port that this switch does not have


@struct_pointer
class Places(NamedTuple):
    """Offsets in bits of every port, and the widths of payload fields."""

    link_in: np.ndarray  # int64 [P, 4]: flit valid, flit payload, credit valid, credit payload
    link_out: np.ndarray  # int64 [P, 4]
    reset: int
    flush: int
    flushing: int
    program: np.ndarray  # int64 [2]: valid, payload
    counter: np.ndarray  # int64 [3]: port, number, data
    lpi: np.ndarray  # int64 [3]: hint, time valid, time payload
    hint_in: np.ndarray  # int64 [P, 2]: valid, payload of a wake hint; ABSENT at ports without
    hint_out: np.ndarray  # int64 [P, 2]
    hops_bits: int
    hint_bits: int
    ahead: np.ndarray  # int64 [dimensions · V, 2]: offset and width of an exchanger's `ahead`; or empty
    open: np.ndarray  # int64 [V, 2]: offset and width of `open` of a crossbar
    hears: np.ndarray  # int64 [P, 3]: valid, payload and payload width of incoming requests or answers; or empty
    tells: np.ndarray  # int64 [P, 3]: the same of outgoing ones; column 2 is ABSENT at ports without
    first_heard: int  # first column of reservation words among the inputs of a switch
    first_told: int  # first column of reservation words among its outputs
    asks: bool  # the switch is an exchanger, which sends requests and gets answers
    choices: int  # width of a route's choices; 0 without
    entry_bits: int  # width of the number of a ternary entry; 0 without
    vc_bits: int
    data_width: int
    tag_width: int
    port_bits: int
    counter_width: int


def places(params: SwitchParams, inputs: Layout, outputs: Layout) -> Places:
    """Return the positions of the ports of `hdl.top` in the words of its library."""
    both = inputs.places | outputs.places

    def at(*names: str) -> list[int]:
        return [both[name][0] if name in both else ABSENT for name in names]

    def links(side: str) -> np.ndarray:
        parts = ("flit_valid", "flit_payload", "credit_valid", "credit_payload")
        return np.array([at(*(f"{side}_{p}_{part}" for part in parts)) for p in range(params.ports)], np.int64)

    def hints(side: str) -> np.ndarray:
        return np.array([at(f"{side}_{p}_valid", f"{side}_{p}_payload") for p in range(params.ports)], np.int64)

    hint_bits = formats.width(formats.wake_hint(params)) if hint_hops(params.lpi) else 0
    return Places(
        link_in=links("link_in"),
        link_out=links("link_out"),
        reset=at("rst")[0],
        flush=at("flush")[0],
        flushing=at("flushing")[0],
        program=np.array(at("program_valid", "program_payload"), np.int64),
        counter=np.array(at("counter_port", "counter_number", "counter_data"), np.int64),
        lpi=np.array(at("lpi_hint", "lpi_time_valid", "lpi_time_payload"), np.int64),
        hint_in=hints("hint_in"),
        hint_out=hints("hint_out"),
        hops_bits=hint_bits - params.address_bits if hint_bits else 0,
        hint_bits=hint_bits,
        ahead=_parts(both, [(f"ahead_{d}", size) for d, size in enumerate(params.radix)], params.vcs),
        open=_parts(both, [("open", params.ports)], params.vcs),
        hears=_reserving(params, both, "answer" if params.selects else "reserve"),
        tells=_reserving(params, both, "reserve" if params.selects else "answer"),
        first_heard=control_inputs(params) - params.ports,
        first_told=control_outputs(params) - params.ports,
        asks=params.selects,
        choices=params.ports if params.selects else 0,
        entry_bits=params.cam.index_bits if params.ternary else 0,
        vc_bits=params.vc_bits,
        data_width=params.data_width,
        tag_width=params.tag_width,
        port_bits=params.port_bits,
        counter_width=params.counter_width,
    )


def _parts(places: dict[str, tuple[int, int]], ports: list[tuple[str, int]], vcs: int) -> np.ndarray:
    """Return offset and width of the equal parts, one per VC, of each of these ports that exists."""
    parts = [(places[name][0] + w * size, size) for name, size in ports if name in places for w in range(vcs)]
    return np.array(parts, np.int64).reshape(-1, 2)


def _reserving(params: SwitchParams, places: dict[str, tuple[int, int]], kind: str) -> np.ndarray:
    """Return offsets of valid and payload, and payload width, of the reservation ports of one kind."""
    if not params.reserves:
        return np.zeros((0, 3), np.int64)
    rows = []
    for p in range(params.ports):
        valid, payload = f"{kind}_{p}_valid", f"{kind}_{p}_payload"
        rows.append([places[valid][0], *places[payload]] if valid in places else [ABSENT] * 3)
    return np.array(rows, np.int64)


@compiled
def reserve_payload(word: int, vc_bits: int, answer: bool) -> np.uint64:
    """Return the payload of a reservation word: VC and output of a request, VC and `granted` of an answer."""
    other = reserve_granted(word) if answer else reserve_output(word)
    return np.uint64(reserve_vc(word) | other << vc_bits)


@compiled
def low_bits(width: int) -> np.uint64:
    """Return a word with the `width` lowest bits set."""
    return ~np.uint64(0) if width >= 64 else (np.uint64(1) << np.uint64(width)) - np.uint64(1)


@compiled
def put(row: np.ndarray, offset: int, width: int, value: np.uint64) -> None:
    """Write a field of up to 64 bits into zeroed words."""
    value = value & low_bits(width)
    word, shift = offset >> 6, offset & 63
    row[word] |= value << np.uint64(shift)
    if shift + width > 64:
        row[word + 1] |= value >> np.uint64(64 - shift)


@compiled
def take(row: np.ndarray, offset: int, width: int) -> np.uint64:
    """Return a field of up to 64 bits."""
    word, shift = offset >> 6, offset & 63
    value: np.uint64 = row[word] >> np.uint64(shift)
    if shift + width > 64:
        value |= row[word + 1] << np.uint64(64 - shift)
    return value & low_bits(width)


@compiled
def upper_data(handle: int, part: int) -> np.uint64:
    """Return word `part` > 0 of a flit's data."""
    x = np.uint64(handle) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(part) * np.uint64(0xD1B54A32D192ED03)
    x ^= x >> np.uint64(29)
    return x * np.uint64(0xBF58476D1CE4E5B9)


@compiled
def hint_payload(at: Places, port: np.ndarray) -> np.uint64:
    """Return the payload of a wake hint."""
    return np.uint64(port[HOPS]) | np.uint64(port[DESTINATION]) << np.uint64(at.hops_bits)


@compiled
def _put_port(at: Places, p: int, port: np.ndarray, ring: np.ndarray, row: np.ndarray) -> None:
    """Write what a port receives: a flit, whose data is remembered, a credit and a wake hint."""
    if port[FLIT]:
        valid, payload = at.link_in[p, 0], at.link_in[p, 1]
        put(row, valid, 1, np.uint64(1))
        put(row, payload, at.vc_bits, np.uint64(port[FLIT_VC]))
        put(row, payload + at.vc_bits, 1, np.uint64(port[TAIL]))
        data = np.uint64(port[DATA])
        ring[port[HANDLE] & (RING - 1)] = data
        for part in range((at.data_width + 63) >> 6):
            first = part << 6
            if part:
                data = upper_data(port[HANDLE], part)
            put(row, payload + at.vc_bits + 1 + first, min(64, at.data_width - first), data)
    if port[CREDIT]:
        put(row, at.link_out[p, 2], 1, np.uint64(1))
        put(row, at.link_out[p, 3], at.vc_bits, np.uint64(port[CREDIT_VC]))
    if port[WAKE_HINT]:
        put(row, at.hint_in[p, 0], 1, np.uint64(1))
        put(row, at.hint_in[p, 1], at.hint_bits, hint_payload(at, port))


@compiled
def _put_program(at: Places, line: np.ndarray, row: np.ndarray) -> None:
    """Write the route that is programmed."""
    fields = (at.tag_width, 1, at.port_bits, at.vc_bits, at.vc_bits)
    values = (line[TAG], line[FOUND], line[OUT], line[VC_FIRST], line[VC_LAST])
    put(row, at.program[0], 1, np.uint64(1))
    offset = at.program[1]
    for f in range(5):
        put(row, offset, fields[f], np.uint64(values[f]))
        offset += fields[f]
    if at.choices:
        put(row, offset, at.choices, np.uint64(line[CHOICES]))
        offset += at.choices
    if at.entry_bits:
        put(row, offset, at.tag_width, np.uint64(line[MASK]))
        put(row, offset + at.tag_width, at.entry_bits, np.uint64(line[ENTRY]))


@compiled
def _put_ahead(at: Places, line: np.ndarray, row: np.ndarray) -> None:
    """Write what the switches ahead show, and their words of reservation."""
    for part in range(len(at.ahead)):
        put(row, at.ahead[part, 0], at.ahead[part, 1], np.uint64(line[FIRST_AHEAD + part]))
    for p in range(len(at.hears)):
        word = line[at.first_heard + p]
        if word and at.hears[p, 0] != ABSENT:
            put(row, at.hears[p, 0], 1, np.uint64(1))
            put(row, at.hears[p, 1], at.hears[p, 2], reserve_payload(word, at.vc_bits, at.asks))


@compiled
def _put_control(at: Places, ports: int, line: np.ndarray, row: np.ndarray) -> None:
    """Write what concerns the switch as a whole."""
    if line[RESET]:
        put(row, at.reset, 1, np.uint64(1))
    if line[FLUSH]:
        put(row, at.flush, 1, np.uint64(1))
    if line[PROGRAM]:
        _put_program(at, line, row)
    _put_ahead(at, line, row)
    if at.counter[0] != ABSENT:
        put(row, at.counter[0], at.port_bits, np.uint64(line[COUNTER_PORT]))
        put(row, at.counter[1], NUMBER_BITS, np.uint64(line[COUNTER]))
    if at.lpi[0] != ABSENT:
        put(row, at.lpi[0], ports, np.uint64(line[HINT]))
        put(row, at.lpi[1], 1, np.uint64(line[TIME]))
        put(row, at.lpi[2], 2 + TIME_BITS, np.uint64(line[TIME_NUMBER] | line[TIME_CYCLES] << 2))


@compiled
def pack_inputs(at: Places, ports: np.ndarray, control: np.ndarray, ring: np.ndarray, words: np.ndarray) -> None:
    """Write a block of the model's inputs into zeroed words; remember the data of its handles."""
    for c in range(len(words)):
        for p in range(ports.shape[1]):
            _put_port(at, p, ports[c, p], ring, words[c])
        _put_control(at, ports.shape[1], control[c], words[c])


@compiled
def _flit_differs(at: Places, payload: int, port: np.ndarray, ring: np.ndarray, row: np.ndarray) -> bool:
    """Return whether the payload at an offset is another flit than the model's."""
    if take(row, payload, at.vc_bits) != np.uint64(port[FLIT_VC]):
        return True
    if take(row, payload + at.vc_bits, 1) != np.uint64(port[TAIL]):
        return True
    data = ring[port[HANDLE] & (RING - 1)]
    for part in range((at.data_width + 63) >> 6):
        first = part << 6
        if part:
            data = upper_data(port[HANDLE], part)
        width = min(64, at.data_width - first)
        if take(row, payload + at.vc_bits + 1 + first, width) != data & low_bits(width):
            return True
    return False


@compiled
def _port_differs(at: Places, p: int, port: np.ndarray, ring: np.ndarray, row: np.ndarray) -> bool:
    """Return whether a port sends another flit, credit or wake hint than the model's."""
    if take(row, at.link_out[p, 0], 1) != np.uint64(port[FLIT]):
        return True
    if port[FLIT] and _flit_differs(at, at.link_out[p, 1], port, ring, row):
        return True
    if take(row, at.link_in[p, 2], 1) != np.uint64(port[CREDIT]):
        return True
    if port[CREDIT] and take(row, at.link_in[p, 3], at.vc_bits) != np.uint64(port[CREDIT_VC]):
        return True
    if at.hint_out[p, 0] == ABSENT:
        return False
    if take(row, at.hint_out[p, 0], 1) != np.uint64(port[WAKE_HINT]):
        return True
    return bool(port[WAKE_HINT] and take(row, at.hint_out[p, 1], at.hint_bits) != hint_payload(at, port))


@compiled
def _told_differs(at: Places, p: int, word: int, row: np.ndarray) -> bool:
    """Return whether a word of reservation is another than the model's; false where there is none."""
    if at.tells[p, 0] == ABSENT:
        return False
    if take(row, at.tells[p, 0], 1) != np.uint64(word & 1):
        return True
    payload = reserve_payload(word, at.vc_bits, not at.asks)
    return bool(word and take(row, at.tells[p, 1], at.tells[p, 2]) != payload)


@compiled
def _status_differs(at: Places, status: np.ndarray, row: np.ndarray) -> bool:
    """Return whether outputs of the switch as a whole are others than the model's."""
    if at.flushing != ABSENT and take(row, at.flushing, 1) != np.uint64(status[FLUSHING]):
        return True
    for w in range(len(at.open)):
        if take(row, at.open[w, 0], at.open[w, 1]) != np.uint64(status[FIRST_OPEN + w]):
            return True
    for p in range(len(at.tells)):
        if _told_differs(at, p, status[at.first_told + p], row):
            return True
    if at.counter[2] == ABSENT:
        return False
    count = np.uint64(status[COUNTER_DATA]) & low_bits(at.counter_width)
    return bool(take(row, at.counter[2], at.counter_width) != count)


@compiled
def first_difference(at: Places, sent: np.ndarray, status: np.ndarray, ring: np.ndarray, words: np.ndarray) -> int:
    """Return the first cycle of a block in which an output differs from the model's; −1 without one.

    Payloads are compared only where they are valid.
    """
    for c in range(len(words)):
        for p in range(sent.shape[1]):
            if _port_differs(at, p, sent[c, p], ring, words[c]):
                return c
        if _status_differs(at, status[c], words[c]):
            return c
    return -1
