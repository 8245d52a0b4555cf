"""Adaptive choice among the outputs of a route (Duato's protocol; paper E, section 3.1; microarchitecture.md, 12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from models.params import SwitchParams, index_width


def step_vc(params: SwitchParams, port: int, vc: int) -> int:
    """Return the next VC of a packet of input VC (`port`, `vc`) with kind = "step"; out of range if none is left."""
    if params.crossbar is not None:
        return vc
    return vc + 1 if port < params.first_local else 0


def choice_range(params: SwitchParams, port: int, vc: int) -> tuple[int, int]:
    """Return first and last VC on which input VC (`port`, `vc`) may take an adaptive choice."""
    if params.adaptive is not None and params.adaptive.kind == "step":
        w = step_vc(params, port, vc)
        return w, w
    return params.escape_vcs, params.vcs - 1


def credits_bits(params: SwitchParams) -> int:
    """Return the width in bits of a sum of credits over all VCs of an output."""
    return index_width(params.depth * params.vcs + 1)


class Adaptive(wiring.Component):
    """Selection register of one input VC, and the choice that loads it.

    Parameters
    ----------
    params : SwitchParams
        With `adaptive`; not a crossbar of a hyper-crossbar.
    port, vc : int
        Numbers of the input port and of the VC.

    Ports
    -----
    ready, route : In(1), In(open_route)
        The front route is known; the front route.
    open : In(ports)
        Outputs with an available VC among those for adaptive choices and, with look-ahead, a free path behind.
    credits : In.array(ports)
        Only with selection = "credits"; per output: credits of those VCs.
    keep, leaves : In(1), In(1)
        The VC is active or a flit of it leaves; the flit that leaves is a tail.
    taken_valid, taken : In(1), In(ports)
        Only with prediction: a head that is no tail takes output `taken`, one-hot, by a bypass.
    valid, chosen : Out(1), Out(front_route)
        Register, and the route that follows from it.
    go : Out(1)
        Only with look-ahead; register: the head may request the output.
    may_ask, awaits, granted : Out(1)
        Only with reservation; registers: the path behind the chosen output may be requested; it is requested, without
        an answer yet; it was granted to the head.
    asked : In(1)
        Only with reservation: the path is requested in this cycle.
    answered, grants : In(1), In(1)
        Only with reservation: the answer for that path is here; it is a grant.
    """

    def __init__(self, params: SwitchParams, port: int, vc: int) -> None:
        if not params.selects or params.adaptive is None:
            raise ValueError("adaptive is not set, or the switch is a crossbar: Adaptive needs a choice")
        self._params = params
        self._adaptive = params.adaptive
        self._port = port
        self._range = choice_range(params, port, vc)
        members = {
            "ready": In(1),
            "route": In(formats.open_route(params)),
            "open": In(params.ports),
            "keep": In(1),
            "leaves": In(1),
            "valid": Out(1),
            "chosen": Out(formats.front_route(params)),
        }
        if self._adaptive.selection == "credits":
            members["credits"] = In(credits_bits(params)).array(params.ports)
        if params.lookahead:
            members["go"] = Out(1)
        if params.reserves:
            members |= dict.fromkeys(("may_ask", "awaits", "granted"), Out(1))
            members |= dict.fromkeys(("asked", "answered", "grants"), In(1))
        if params.prediction:
            members |= {"taken_valid": In(1), "taken": In(params.ports)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the choice and the selection register."""
        m = Module()
        params = self._params
        first, last = self._range
        want = Signal(params.ports, reset_less=True)
        found = Signal()
        best = Signal(params.ports)
        followed = self.route.want.any()
        candidates = []
        for o in formats.outputs(params, self._port):
            open_ = Signal(name=f"open_{o}")
            m.d.comb += open_.eq(self.route.choices[o] & self.open[o] & followed)
            credits = self.credits[o] if self._adaptive.selection == "credits" else C(0, 1)
            candidates.append(_Candidate(open_, credits, C(1 << o, params.ports)))
        winner = _first_best(candidates)
        m.d.comb += found.eq(winner.open)
        m.d.comb += best.eq(winner.output & winner.open.replicate(params.ports))

        chooses = Signal()
        keeps = self.keep | self.asked | self.awaits | self.granted if params.reserves else self.keep
        m.d.comb += chooses.eq(~keeps)
        with m.If(chooses):
            m.d.sync += self.valid.eq(self.ready)
            m.d.sync += want.eq(Mux(found, best, self.route.want))
            if params.lookahead:
                nowhere_else = ~(self.route.choices.any() & followed)
                m.d.sync += self.go.eq(nowhere_else if params.reserves else found | nowhere_else)
        if params.reserves:
            self._elaborate_reservation(m, chooses, found)
        with m.If(self.leaves):
            m.d.sync += self.valid.eq(0)
            if params.reserves:
                m.d.sync += self.granted.eq(0)
        if params.prediction:
            with m.If(self.taken_valid):
                m.d.sync += self.valid.eq(1)
                m.d.sync += want.eq(self.taken)
        m.d.comb += self.chosen.want.eq(want)
        if self._adaptive.kind == "step":
            # A port to a node may be entered on any VC.
            local = want[params.first_local :].any()
            m.d.comb += self.chosen.vc_first.eq(Mux(local, 0, first))
            m.d.comb += self.chosen.vc_last.eq(Mux(local, params.vcs - 1, last))
        else:
            vc_first = Signal(params.vc_bits, reset_less=True)
            vc_last = Signal(params.vc_bits, reset_less=True)
            m.d.comb += [self.chosen.vc_first.eq(vc_first), self.chosen.vc_last.eq(vc_last)]
            with m.If(chooses):
                m.d.sync += vc_first.eq(Mux(found, first, self.route.vc_first))
                m.d.sync += vc_last.eq(Mux(found, last, self.route.vc_last))
        return m

    def _elaborate_reservation(self, m: Module, chooses: Value, found: Value) -> None:
        """Build the registers of a reservation: may be requested, requested, granted."""
        with m.If(chooses):
            m.d.sync += self.may_ask.eq(found & self.ready)
        with m.If(self.asked):
            m.d.sync += self.may_ask.eq(0)
            m.d.sync += self.awaits.eq(1)
        with m.If(self.awaits & self.answered):
            m.d.sync += self.awaits.eq(0)
            m.d.sync += self.granted.eq(self.grants)
            m.d.sync += self.go.eq(self.grants)


@dataclass(frozen=True)
class _Candidate:
    """An output that may be chosen: whether it is open, its credits, its one-hot number."""

    open: Value
    credits: Value
    output: Value


def _first_best(candidates: Sequence[_Candidate]) -> _Candidate:
    """Return the open candidate with most credits; of equals the first."""
    if len(candidates) == 1:
        return candidates[0]
    half = (len(candidates) + 1) // 2
    low, high = _first_best(candidates[:half]), _first_best(candidates[half:])
    is_high = high.open & (~low.open | (high.credits > low.credits))
    return _Candidate(
        low.open | high.open, Mux(is_high, high.credits, low.credits), Mux(is_high, high.output, low.output)
    )


def credits_of(credits: Sequence[Value], params: SwitchParams, port: int, vc: int) -> Value:
    """Return the sum of an output's credits on the VCs on which input VC (`port`, `vc`) may choose it."""
    first, last = choice_range(params, port, vc)
    return sum((credits[w] for w in range(first, min(last, params.vcs - 1) + 1)), start=C(0, 1))


def usable(available: Value, params: SwitchParams, port: int, vc: int) -> Value:
    """Return whether `available` has a VC on which input VC (`port`, `vc`) may choose the output."""
    first, last = choice_range(params, port, vc)
    return Cat(available[first : last + 1]).any() if first < params.vcs else C(0, 1)


def followed_vcs(params: SwitchParams, port: int, vc: int, want: Value) -> Value:
    """Return `want`, a one-hot output, with kind = "step"; 0 if it is a network port and no VC is left for a step."""
    if step_vc(params, port, vc) < params.vcs:
        return want
    return Cat(C(0, params.first_local), want[params.first_local :])
