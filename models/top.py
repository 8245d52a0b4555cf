"""Switch chip at port level: a switch and its route table, stepped beside the RTL by one cycle or a block of cycles.

All outputs are registers: read the outputs of cycle t, then apply the inputs of cycle t.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from models.batched.flit import TAIL as TAIL_FLIT
from models.batched.flit import flit_on, flit_vc
from models.batched.link import put_credit, put_flit
from models.batched.lpi import hint_links, write_times
from models.batched.switch import accept_head, step_batches
from models.buffer.vc_buffer import pop, push
from models.formats import COUNTERS
from models.jit.bits import count_trailing_zeros
from models.jit.compiled import compiled
from models.jit.lanes import switch_in
from models.jit.simd import number_in
from models.jit.simd_type import LANES
from models.params import SwitchParams
from models.power_up import new_state
from models.predict.bypass import confirm
from models.readout import read
from models.reset import reset
from models.route.header import COMPLETE, header
from models.route.linear_table import linear_program
from models.route.lookahead import shows
from models.route.reservation import hear_reservations, tell_reservations
from models.route.route_cache import cache_flushing
from models.route.route_table import table_program
from models.route.route_unit import SENT
from models.route.ternary_table import ternary_program
from models.route.wake_hint import hear_hint, take_hint
from models.state.registers import NO_PORT, Records, SwitchState
from models.state.route_word import route_word
from models.switch import accept_credit, accept_flit, list_moves, route_step
from models.transfer.link import return_credit
from models.transfer.output_buffer import departure

# Columns of a port's inputs, and of its outputs, in one cycle.
FLIT, FLIT_VC, TAIL, HANDLE, DATA, CREDIT, CREDIT_VC, WAKE_HINT, HOPS, DESTINATION = range(10)
PORT_INPUTS = 10
PORT_OUTPUTS = 10  # the same columns; DATA is unused
# Columns of the other inputs of a switch.
RESET, FLUSH, PROGRAM, TAG, FOUND, OUT, VC_FIRST, VC_LAST, COUNTER_PORT, COUNTER = range(10)
HINT, TIME, TIME_NUMBER, TIME_CYCLES = range(10, 14)
CHOICES = 14
MASK, ENTRY = 15, 16
FIRST_AHEAD = 17  # look-ahead inputs of an exchanger: column dimension · VCs + VC, one bit per output ahead
# With reservation one word per port follows: `models.route.reservation`.
FLUSHING, COUNTER_DATA = range(2)
FIRST_OPEN = 2  # look-ahead outputs of a crossbar: one column per VC, one bit per output


def control_inputs(params: SwitchParams) -> int:
    """Return the number of columns of a switch's inputs, not counting those of its ports."""
    ahead = len(params.radix) * params.vcs if params.lookahead and (params.selects or params.reserves) else 0
    return FIRST_AHEAD + ahead + (params.ports if params.reserves else 0)


def control_outputs(params: SwitchParams) -> int:
    """Return the number of columns of a switch's outputs, not counting those of its ports."""
    shown = params.vcs if params.lookahead and (not params.selects or params.reserves) else 0
    return FIRST_OPEN + shown + (params.ports if params.reserves else 0)


@compiled
def _show_flit(st: SwitchState, s: int, at: int, out: int, vc: int, flit: int) -> None:
    """Make a flit visible on an output link in cycle `at`."""
    port = st.departing[s, at % st.departing.shape[1], out]
    port[FLIT], port[FLIT_VC] = 1, vc
    port[TAIL], port[HANDLE] = flit & 1, flit >> 1


@compiled
def _show_credit(sent: np.ndarray, s: int, port: int, vc: int, at: int) -> None:
    """Make a credit visible on an input link in cycle `at`, in outputs `sent`."""
    sent[port, CREDIT], sent[port, CREDIT_VC] = 1, vc


@compiled
def _show(st: SwitchState, s: int, move: Records, cycle: int, sent: np.ndarray) -> None:
    """Put a move on the links."""
    if move.port != NO_PORT:
        return_credit(s, move.port, move.vc, cycle, _show_credit, sent)
    if move.out >= 0:
        _show_flit(st, s, move.at, move.out, move.out_vc, move.flit)


@compiled
def _show_forwarded(st: SwitchState, s: int, cycle: int, sent: np.ndarray) -> None:
    """Put on the links the flits and credits of heads sent speculatively in this cycle and the one before."""
    for p in range(st.k.ports):
        port = st.prediction[s, p]
        if port.forwarded_in == cycle - 1 and port.confirmed:
            return_credit(s, p, port.forwarded_vc, cycle, _show_credit, sent)
        if confirm(st, s, p, cycle + 1):
            vc = st.vc[s, p, port.forwarded_vc]
            flit = st.flits[s, p, port.forwarded_vc, vc.read]
            _show_flit(st, s, port.forwarded_at, port.forwarded_out, port.forwarded_vc, flit)


@compiled
def _show_hint(sent: np.ndarray, s: int, o: int, hops: int, destination: int, cycle: int) -> None:
    """Make a hint visible on the channel of an output in the next cycle."""
    sent[o, WAKE_HINT] = 1
    sent[o, HOPS] = hops
    sent[o, DESTINATION] = destination


@compiled
def _show_due(st: SwitchState, s: int, cycle: int, sent: np.ndarray) -> None:
    """Put on the output links the flits that are due in `cycle`."""
    due = st.departing[s, cycle % st.departing.shape[1]]
    for o in range(st.k.ports):
        for column in range(HANDLE + 1):
            sent[o, column] = due[o, column]
            due[o, column] = 0


@compiled
def _step(st: SwitchState, s: int, cycle: int, ports: np.ndarray, sent: np.ndarray) -> None:
    """Advance a switch that is in no batch, except its route units."""
    for p in range(st.k.ports if st.k.hints else 0):
        if ports[p, WAKE_HINT]:
            hear_hint(st, s, p, ports[p, HOPS], ports[p, DESTINATION])
    for m in range(list_moves(st, s, cycle)):
        _show(st, s, st.sent[m], cycle, sent)
    for p in range(st.k.ports):
        if ports[p, FLIT]:
            flit = ports[p, HANDLE] << 1 | ports[p, TAIL]
            if accept_flit(st, s, p, ports[p, FLIT_VC], flit, ports[p, DATA], cycle) & SENT:
                _show(st, s, st.sent[0], cycle, sent)
    for p in range(st.k.ports):
        if ports[p, CREDIT]:
            accept_credit(st, s, p, ports[p, CREDIT_VC])
    if st.k.hints:
        take_hint(st, s, _show_hint, sent, cycle)


class _Driven(NamedTuple):
    """A switch in a batch, and its outputs."""

    st: SwitchState
    sent: np.ndarray


@compiled
def _show_batch(driven: _Driven, batch: int, cycle: int) -> None:
    """Put the flits that leave a batch of one switch on the links; their payload is in the scalar buffers."""
    st = driven.st
    s = switch_in(batch, 0)
    for i in range(st.k.ports):
        vc = number_in(st.batch_scratch, (st.k.chosen + i) * LANES)
        if vc:
            return_credit(s, i, count_trailing_zeros(vc), cycle, _show_credit, driven.sent)
            flit = pop(st, s, i, count_trailing_zeros(vc))
            o = count_trailing_zeros(number_in(st.batch_grants, (st.k.taken + i) * LANES))
            if o < st.k.ports:
                w = flit_vc(number_in(st.batch_scratch, (st.k.sent + o) * LANES))
                _show_flit(st, s, departure(st, s, o, cycle), o, w, flit)


@compiled
def _step_in_batch(st: SwitchState, s: int, cycle: int, ports: np.ndarray, sent: np.ndarray) -> None:
    """Advance a switch in a batch, except its route units."""
    for p in range(st.k.ports):
        if ports[p, FLIT]:
            put_flit(st, cycle, s, p, flit_on(ports[p, FLIT_VC]) | (TAIL_FLIT if ports[p, TAIL] else 0))
        if ports[p, CREDIT]:
            put_credit(st, cycle, s, p, ports[p, CREDIT_VC])
    step_batches(st, cycle, _show_batch, _Driven(st, sent))
    for p in range(st.k.ports):
        if ports[p, FLIT]:
            v = ports[p, FLIT_VC]
            push(st, s, p, v, ports[p, HANDLE] << 1 | ports[p, TAIL])
            if header(st, s, p, v, ports[p, TAIL], ports[p, DATA]) == COMPLETE:
                accept_head(st, s, p, v, 0, ports[p, DATA], cycle)


@compiled
def _program(st: SwitchState, s: int, control: np.ndarray) -> None:
    """Write an entry of the switch's table."""
    route = route_word(control[OUT], control[VC_FIRST], control[VC_LAST], 0, control[CHOICES])
    if st.k.linear:
        linear_program(st, s, control[TAG], control[FOUND], route)
    elif st.k.ternary:
        ternary_program(st, s, control[ENTRY], control[TAG], control[MASK], control[FOUND], route)
    else:
        table_program(st, s, control[TAG], control[FOUND], route)


@compiled
def top_step(
    st: SwitchState,
    s: int,
    cycle: int,
    ports: np.ndarray,
    control: np.ndarray,
    sent: np.ndarray,
    status: np.ndarray,
) -> None:
    """Apply the inputs of `cycle`; write the outputs of the next cycle to `sent` and `status`.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s : int
        Switch.
    cycle : int
        The present cycle.
    ports : numpy.ndarray
        int64 [P, PORT_INPUTS].
    control : numpy.ndarray
        int64 [control_inputs].
    sent : numpy.ndarray
        int64 [P, PORT_OUTPUTS], written.
    status : numpy.ndarray
        int64 [control_outputs], written.
    """
    k = st.k
    sent[:] = 0
    status[COUNTER_DATA] = 0
    if control[RESET]:
        reset(st, s, cycle)
        st.departing[s, :] = 0
    else:
        if control[COUNTER_PORT] < k.ports and control[COUNTER] < COUNTERS:
            status[COUNTER_DATA] = read(st, s, control[COUNTER_PORT], control[COUNTER], cycle)
        if k.lpi:
            hint_links(st, s, control[HINT])
        if k.lookahead and not shows(st, s):
            for column in range(k.dimensions * k.vcs):
                st.ahead[s, column // k.vcs, column % k.vcs] = control[FIRST_AHEAD + column]
        if k.reserves:
            hear_reservations(st, s, control[FIRST_AHEAD + k.dimensions * k.vcs :])
        if k.batched:
            _step_in_batch(st, s, cycle, ports, sent)
        else:
            _step(st, s, cycle, ports, sent)
        if k.table:
            route_step(st, s, cycle, control[FLUSH] != 0)
            if k.predict:
                _show_forwarded(st, s, cycle, sent)
        if k.lpi and control[TIME]:
            write_times(st, s, control[TIME_NUMBER], control[TIME_CYCLES], cycle)
        _show_due(st, s, cycle + 1, sent)
    if (k.table or k.linear) and control[PROGRAM]:
        _program(st, s, control)
    if shows(st, s):
        for w in range(k.vcs):
            status[FIRST_OPEN + w] = st.open[s, w]
    if k.reserves:
        tell_reservations(st, s, status[FIRST_OPEN + k.vcs :])
    status[FLUSHING] = 1 if k.cached and cache_flushing(st, s, cycle + 1) else 0


@dataclass
class PortInput:
    """Inputs of a port in one cycle; None where valid is 0."""

    flit: tuple[int, int, int] | None = None  # vc, tail, data
    credit: int | None = None  # vc
    hint: tuple[int, int] | None = None  # hops, destination


@dataclass
class TopInput:
    """All inputs of one cycle."""

    ports: list[PortInput]
    reset: bool = False
    flush: bool = False
    program: dict[str, int] | None = None  # fields of `formats.program`
    counter: tuple[int, int] = (0, 0)  # port, number
    hint: int = 0  # outputs whose links are to wake up
    time: tuple[int, int] | None = None  # number of a time register of low-power idle, cycles
    ahead: tuple[int, ...] = ()  # look-ahead inputs of an exchanger, by dimension · VCs + VC; default: all free
    reserving: tuple[int, ...] = ()  # reservation words by port; default: none


@dataclass
class TopOutput:
    """All outputs of one cycle: per port the flit (vc, tail, data), the credit (vc) and the hint, or None."""

    flits: list[tuple[int, int, int] | None]
    credits: list[int | None]
    hints: list[tuple[int, int] | None]  # hops, destination
    flushing: bool = False
    counter: int = 0
    open: tuple[int, ...] = ()  # look-ahead outputs of a crossbar, by VC
    reserving: tuple[int, ...] = ()  # reservation words by port


@dataclass
class Top:
    """The golden model of `hdl.top`, for benches written in Python.

    Parameters
    ----------
    params : SwitchParams
        Parameters of the switch.
    position : tuple of int
        Coordinates of the switch, with computed routes.
    batched : bool
        Whether the switch is in a batch, which then contains no other switch (`models.batched.limits.can_batch`).
    """

    params: SwitchParams
    position: tuple[int, ...] = ()
    batched: bool = False
    cycle: int = 0
    _data: dict[int, int] = field(default_factory=dict)
    _handle: int = 0

    def __post_init__(self) -> None:
        p = self.params.ports
        self._state = new_state(self.params, batched=self.batched)
        if self.position:
            self._state.position[0] = self.position
        self._ports = np.zeros((p, PORT_INPUTS), np.int64)
        self._control = np.zeros(control_inputs(self.params), np.int64)
        self._sent = np.zeros((p, PORT_OUTPUTS), np.int64)
        self._status = np.zeros(control_outputs(self.params), np.int64)
        reset(self._state, 0, -1)
        self._status[FLUSHING] = self.params.has_cache
        self._shown = slice(FIRST_OPEN, FIRST_OPEN + (self.params.vcs if self.params.crossbar is not None else 0))
        self._told = slice(len(self._status) - (p if self.params.reserves else 0), None)
        self._status[self._shown] = (1 << p) - 1

    @property
    def state(self) -> SwitchState:
        """The registers."""
        return self._state

    def outputs(self) -> TopOutput:
        """Return the outputs of the current cycle."""
        sent = self._sent
        flits = [
            (int(row[FLIT_VC]), int(row[TAIL]), self._data[int(row[HANDLE])]) if row[FLIT] else None for row in sent
        ]
        credits = [int(row[CREDIT_VC]) if row[CREDIT] else None for row in sent]
        hints = [(int(row[HOPS]), int(row[DESTINATION])) if row[WAKE_HINT] else None for row in sent]
        counter = int(self._status[COUNTER_DATA]) & ((1 << self.params.counter_width) - 1)
        return TopOutput(
            flits,
            credits,
            hints,
            bool(self._status[FLUSHING]),
            counter,
            tuple(self._status[self._shown].tolist()),
            tuple(self._status[self._told].tolist()),
        )

    def step(self, inputs: TopInput) -> None:
        """Apply the inputs of the current cycle, and advance to the next cycle."""
        ports, control = self._ports, self._control
        ports[:] = 0
        control[:] = 0
        for p, port in enumerate(inputs.ports):
            if port.flit is not None:
                vc, tail, data = port.flit
                self._handle += 1
                self._data[self._handle] = data
                ports[p, :CREDIT] = 1, vc, tail, self._handle, _signed(data & ((1 << 64) - 1))
            if port.credit is not None:
                ports[p, CREDIT:WAKE_HINT] = 1, port.credit
            if port.hint is not None:
                ports[p, WAKE_HINT:] = 1, port.hint[0], _signed(port.hint[1])
        control[RESET] = inputs.reset
        control[FLUSH] = inputs.flush
        if inputs.program is not None:
            fields = inputs.program
            control[PROGRAM] = 1
            control[TAG] = _signed(fields["tag"])
            control[FOUND : VC_LAST + 1] = fields["found"], fields["out"], fields["vc_first"], fields["vc_last"]
            control[CHOICES] = fields.get("choices", 0)
            control[MASK], control[ENTRY] = _signed(fields.get("mask", 0)), fields.get("entry", 0)
        control[COUNTER_PORT], control[COUNTER] = inputs.counter
        control[HINT] = inputs.hint
        if inputs.time is not None:
            control[TIME : TIME_CYCLES + 1] = 1, *inputs.time
        control[FIRST_AHEAD:] = -1
        if inputs.ahead:
            control[FIRST_AHEAD : FIRST_AHEAD + len(inputs.ahead)] = inputs.ahead
        if self.params.reserves:
            control[-self.params.ports :] = inputs.reserving or 0
        top_step(self._state, 0, self.cycle, ports, control, self._sent, self._status)
        self.cycle += 1


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
