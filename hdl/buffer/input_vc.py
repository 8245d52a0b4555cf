"""State of one input VC: output VC owned, requests of its first flit (microarchitecture.md, section 8).

Connects buffer, route unit, allocators and output units, which have golden models of their own names;
`models/switch.py` joins those. The bench of the input unit covers this file; benches of whole switches cover
prediction, low-power idle and look-ahead.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.allocate.speculation import Speculation
from hdl.allocate.vc_allocator import VcAllocator, in_range, routes_allow_all
from hdl.buffer.head_delay import HeadDelay
from hdl.lib.logic import one_hot, select_hot
from hdl.route.adaptive import Adaptive, choice_range, credits_of, usable
from hdl.route.lookahead import ahead_ports, paths_free
from hdl.route.reservation import answer_ports, answered
from hdl.transfer.output_unit import credit_bits
from models.params import SwitchParams


def seen_of_outputs(params: SwitchParams) -> dict[str, wiring.Member]:
    """Return the ports by which all VCs of an input port see the outputs and, with look-ahead, the crossbars ahead.

    Ports
    -----
    has_credit : In(vcs).array(ports)
        Per output port: VCs that have a credit, which a body flit may use.
    available : In(vcs).array(ports)
        Per output port: VCs that a head may claim. Absent if all routes allow all VCs and there is no VC stage.
    pointer : In(vc_bits).array(ports)
        Per output port: VC at which the search for a VC starts. Absent if all routes allow all VCs, or with a VC stage.
    any, candidate : In(ports), In(vc_bits).array(ports)
        Per output port: a head may claim a VC; its number. Only if all routes allow all VCs and there is no VC stage.
    credits : In.array(ports, vcs)
        Only with adaptive routing: credits per output port and VC.
    ahead_0, … : In
        Only with look-ahead, at an exchanger: `open` of each crossbar.
    """
    bits, vcs, ports = params.vc_bits, params.vcs, params.ports
    members = {"has_credit": In(vcs).array(ports)}
    if params.vc_stage:
        members |= {"available": In(vcs).array(ports)}
    elif routes_allow_all(params):
        members |= {"any": In(ports), "candidate": In(bits).array(ports)}
    else:
        members |= {"available": In(vcs).array(ports), "pointer": In(bits).array(ports)}
    if params.selects:
        members |= {"credits": In(credit_bits(params)).array(ports, vcs)}
        members |= {name: In(width) for name, width in ahead_ports(params).items() if params.lookahead}
    return members


class InputVc(wiring.Component):
    """Builds the requests of a VC's first flit, and keeps the output VC that its packet owns.

    Parameters
    ----------
    params : SwitchParams
    port, vc : int
        Numbers of the input port and of the VC.

    Ports
    -----
    nonempty : In(1)
        At least one flit is buffered.
    ready, route : In(1), In(front_route)
        The route of the first flit is known; the route. With adaptive routing In(open_route).
    whole, several : In(1), In(1)
        Only with static buffering: the tail of the first packet is buffered, too; more than one flit is buffered.
    sends, tail : In(1), In(1)
        A flit of the VC leaves; the VC's flit that can leave is a tail.
    quiet : In(1)
        Only with prediction: the flit that leaves is sent by a bypass, on the output VC of the same number.
    taken_valid, taken : In(1), In(ports)
        Only with adaptive routing and prediction: a head that is no tail takes output `taken`, one-hot, by a bypass.
    claims, claimed_vc : In(1), In(vc_bits)
        Only with a VC stage: the head is allocated this output VC.
    request, drain : Out(1), Out(1)
        The first flit can be sent; it is to be dropped.
    want : Out(ports)
        One-hot, the output of the first flit; 0 if it is to be dropped.
    vc_if_sent : Out(vc_bits)
        Output VC of the flit that leaves.
    waiting : Out(1)
        Only with low-power idle: a flit is buffered whose route is ready.
    waits : Out(ports)
        Only with look-ahead, at a crossbar: output for which the head waits.
    reserves, holds : Out(1), Out(1)
        Only with reservation, at an exchanger: the head may request the path behind its output; it awaits an answer or
        was granted the path.
    asked : In(1)
        Only with reservation, at an exchanger: the head requests the path in this cycle.
    answer_0, … : In(ValidSignature(reserve_answer))
        Only with reservation, at an exchanger: answers of the crossbars.
    ask : Out(vcs)
        Only with a VC stage: VCs of its output that the head requests; 0 without a request.
    speculates, misspeculated : Out(1), Out(1)
        Only with speculation: the request is speculative (a head without an output VC); a grant would be in vain.
    head : Out(1)
        Only with adaptive routing and prediction: the first flit is a head that has an output.

    `seen_of_outputs` lists the other ports.
    """

    def __init__(self, params: SwitchParams, port: int, vc: int) -> None:
        self._params = params
        self._port = port
        self._vc = vc
        bits, vcs, ports = params.vc_bits, params.vcs, params.ports
        members = {
            "nonempty": In(1),
            "ready": In(1),
            "route": In(formats.open_route(params) if params.selects else formats.front_route(params)),
            "sends": In(1),
            "tail": In(1),
            "request": Out(1),
            "drain": Out(1),
            "want": Out(ports),
            "vc_if_sent": Out(bits),
        }
        if params.buffering == "static":
            members |= {"whole": In(1), "several": In(1)}
        if params.lpi:
            members |= {"waiting": Out(1)}
        if params.prediction:
            members |= {"quiet": In(1)}
        if params.prediction and params.selects:
            members |= {"taken_valid": In(1), "taken": In(ports), "head": Out(1)}
        if params.vc_stage:
            members |= {"ask": Out(vcs), "claims": In(1), "claimed_vc": In(bits)}
        if params.speculates:
            members |= {"speculates": Out(1), "misspeculated": Out(1)}
        if params.lookahead and not params.selects:
            members |= {"waits": Out(ports)}
        if params.reserves and params.selects:
            members |= {"reserves": Out(1), "holds": Out(1), "asked": In(1), **answer_ports(params)}
        super().__init__(members | seen_of_outputs(params))

    def elaborate(self, platform: object) -> Module:
        """Build the registers and the requests."""
        m = Module()
        params = self._params
        active = Signal()
        claims = self.claims if params.vc_stage else C(0)
        choice = None
        route = self.route
        if params.selects:
            m.submodules.adaptive = choice = self._choose(m, active | self.sends | claims)
            route = choice.chosen
        want = route.want
        waiting = self._wait_for_route(m, choice)
        needs = self._needs(m, want, waiting, active, claims, choice)

        out_vc = Signal(params.vc_bits, reset_less=True)
        # One-hot copy of `out_vc`, 0 while not active.
        owns = Signal(params.vcs)
        sendable, candidate = self._allocate(m, route, active, owns)
        self._ask(m, route, waiting, active, sendable, needs)
        m.d.comb += self.drain.eq(waiting & ~want.any())
        m.d.comb += self.want.eq(want)
        # A head that is sent by a bypass keeps the number of its VC.
        vc_of_head = Mux(self.quiet, self._vc, candidate) if params.prediction else candidate
        m.d.comb += self.vc_if_sent.eq(Mux(active, out_vc, vc_of_head))
        if params.prediction and params.selects:
            m.d.comb += self.head.eq(self._is_head(m, active) & want.any())
        # A dropped packet may set these registers, too: its requests ignore them, and its tail clears them.
        with m.If(self.sends):
            m.d.sync += active.eq(~self.tail)
            m.d.sync += out_vc.eq(self.vc_if_sent)
            m.d.sync += owns.eq(one_hot(self.vc_if_sent, params.vcs) & (~self.tail).replicate(params.vcs))
        if params.vc_stage:
            with m.Elif(claims):
                m.d.sync += active.eq(1)
                m.d.sync += out_vc.eq(candidate)
                m.d.sync += owns.eq(one_hot(candidate, params.vcs))
        return m

    def _wait_for_route(self, m: Module, choice: Adaptive | None) -> Signal:
        """Return whether a flit is buffered whose route is ready; with adaptive routing, whose output is chosen."""
        params = self._params
        # A computed route of a single header flit is written together with the flit: ready whenever a flit is buffered.
        at_once = params.at_once and params.header_flits == 1 and choice is None
        ready = self.ready if choice is None else choice.valid
        waiting = Signal()
        m.d.comb += waiting.eq(self.nonempty if at_once else self.nonempty & ready)
        if params.lpi:
            m.d.comb += self.waiting.eq(waiting)
        return waiting

    def _needs(
        self, m: Module, want: Value, waiting: Signal, active: Signal, claims: Value, choice: Adaptive | None
    ) -> list[Value]:
        """Return the conditions, besides an output VC, under which a head may request the crossbar."""
        params = self._params
        needs: list[Value] = []
        # A head is at the front that has an output and owns no VC yet.
        heads_wait = waiting & want.any() & ~active
        if params.head_delay:
            needs.append(self._delay_head(m, heads_wait))
            heads_wait &= needs[0]
        if params.lookahead and not params.selects:
            m.d.comb += self.waits.eq(want & waiting.replicate(params.ports))
        if params.buffering == "static":
            needs.append(self._wait_for_rest(m, heads_wait, claims, choice))
        if params.reserves and choice is not None:
            m.d.comb += self.reserves.eq(Cat(choice.may_ask, self._usable(want), waiting, ~active, *needs).all())
            m.d.comb += self.holds.eq(choice.awaits | choice.granted)
        if params.lookahead and choice is not None:
            needs.append(choice.go)
        return needs

    def _delay_head(self, m: Module, heads_wait: Value) -> Value:
        """Return whether the head has waited for `head_delay` cycles."""
        m.submodules.head_delay = delay = HeadDelay(self._params.head_delay)
        m.d.comb += delay.waits.eq(heads_wait)
        m.d.comb += delay.leaves.eq(self.sends)
        return delay.over

    def _wait_for_rest(self, m: Module, heads_wait: Value, claims: Value, choice: Adaptive | None) -> Value:
        """Return whether the head may go on without the rest of its packet, or the rest is buffered.

        `blocked` is set when a head that could have requested gets nothing, and for a head behind another packet, whose
        tail leaves flits in the buffer. After any other flit it has no meaning: the VC is active.
        """
        if self._params.reserves and choice is not None:
            heads_wait &= ~(choice.asked | choice.awaits)
        blocked = Signal()
        with m.If(self.sends | claims):
            m.d.sync += blocked.eq(self.sends & self.several)
        with m.Elif(heads_wait):
            m.d.sync += blocked.eq(1)
        return ~blocked | self.whole

    def _ask(
        self, m: Module, route: Value, waiting: Signal, active: Signal, sendable: Value, needs: list[Value]
    ) -> None:
        """Build the requests for the crossbar and, with a VC stage, for a VC."""
        want = route.want
        if self._params.vc_stage:
            asks = Cat(waiting, ~active, *needs).all()
            m.d.comb += self.ask.eq(self._allowed(route) & asks.replicate(self._params.vcs))
            m.d.comb += self.request.eq(waiting & sendable | self._speculate(m, want))
        else:
            free = active | ~want.any() if needs else C(1)
            m.d.comb += self.request.eq(waiting & sendable & (free | Cat(needs).all()))

    def _allocate(self, m: Module, route: Value, active: Value, owns: Value) -> tuple[Value, Value]:
        """Build the VC allocator, unless one per output port or the VC stage does its work.

        Returns
        -------
        tuple of Value
            The first flit has a VC that it may use, or is to be dropped; the VC that a head is allocated.
        """
        params, want = self._params, route.want
        sendable = Signal()
        candidate = Signal(params.vc_bits)
        usable = [(owns & credits).any() for credits in self.has_credit]
        if params.vc_stage:
            m.d.comb += sendable.eq(self._of_output(want, usable) | ~want.any())
            m.d.comb += candidate.eq(self.claimed_vc)
        elif routes_allow_all(params):
            usable = [credit | (~active & found) for credit, found in zip(usable, self.any, strict=True)]
            # Written as "no requested output lacks a VC", not "the requested output has one", so that dropped flits may
            # go, too.
            m.d.comb += sendable.eq(~self._of_output(want, [~ok for ok in usable]))
            m.d.comb += candidate.eq(self._of_output(want, list(self.candidate)))
        else:
            m.submodules.vc_allocator = allocator = VcAllocator(params)
            m.d.comb += allocator.available.eq(self._of_output(want, list(self.available)))
            m.d.comb += allocator.first.eq(route.vc_first)
            m.d.comb += allocator.last.eq(route.vc_last)
            m.d.comb += allocator.pointer.eq(self._of_output(want, list(self.pointer)))
            m.d.comb += sendable.eq(self._of_output(want, usable) | (~active & allocator.any) | ~want.any())
            m.d.comb += candidate.eq(allocator.vc)
        return sendable, candidate

    def _speculate(self, m: Module, want: Value) -> Value:
        """Return whether a head without an output VC requests the crossbar."""
        if not self._params.speculates:
            return C(0)
        m.submodules.speculation = speculation = Speculation(self._params)
        m.d.comb += speculation.ask.eq(self.ask)
        m.d.comb += speculation.has_credit.eq(self._of_output(want, list(self.has_credit)))
        m.d.comb += speculation.claims.eq(self.claims)
        m.d.comb += speculation.claimed_vc.eq(self.claimed_vc)
        m.d.comb += self.misspeculated.eq(speculation.misspeculated)
        m.d.comb += self.speculates.eq(speculation.speculates)
        return speculation.speculates

    def _choose(self, m: Module, keep: Value) -> Adaptive:
        """Build and connect the choice among the outputs of the route (adaptive routing)."""
        params, port, vc = self._params, self._port, self._vc
        choice = Adaptive(params, port, vc)
        m.d.comb += choice.ready.eq(self.ready)
        m.d.comb += choice.route.eq(self.route)
        m.d.comb += choice.keep.eq(keep)
        m.d.comb += choice.leaves.eq(self.sends & self.tail)
        free: list[Value] = []
        if params.lookahead:
            ahead = [getattr(self, name) for name in ahead_ports(params)]
            w = choice_range(params, port, vc)[0]
            free = paths_free(params, ahead, self.route.target, w) if w < params.vcs else []
        for o in formats.outputs(params, port):
            open_ = usable(self.available[o], params, port, vc)
            m.d.comb += choice.open[o].eq(open_ & free[o] if o < len(free) else open_)
            if "credits" in choice.signature.members:
                m.d.comb += choice.credits[o].eq(credits_of(list(self.credits[o]), params, port, vc))
        if params.prediction:
            m.d.comb += choice.taken_valid.eq(self.taken_valid)
            m.d.comb += choice.taken.eq(self.taken)
        if params.reserves:
            answers = [getattr(self, name) for name in answer_ports(params)]
            about, grants = answered(params, answers, choice.chosen.want, choice_range(params, port, vc)[0])
            m.d.comb += choice.asked.eq(self.asked)
            m.d.comb += choice.answered.eq(about)
            m.d.comb += choice.grants.eq(grants)
        return choice

    def _usable(self, want: Value) -> Value:
        """Return whether the chosen output has the VC that the choice needs."""
        outputs = formats.outputs(self._params, self._port)
        return Cat(want[o] & usable(self.available[o], self._params, self._port, self._vc) for o in outputs).any()

    def _is_head(self, m: Module, active: Value) -> Value:
        """Return whether the first flit is a head; with a VC stage, a head may own its VC already."""
        if not self._params.vc_stage:
            return ~active
        claimed = Signal()
        with m.If(self.sends):
            m.d.sync += claimed.eq(0)
        with m.Elif(self.claims):
            m.d.sync += claimed.eq(1)
        # A head that is sent speculatively claims its VC in the same cycle, not before.
        return claimed | ~active if self._params.speculates else claimed

    def _of_output(self, want: Value, values: Sequence[Value]) -> Value:
        """Return values[o] of the output o that `want`, one-hot, names."""
        outputs = formats.outputs(self._params, self._port)
        return select_hot([want[o] for o in outputs], [values[o] for o in outputs])

    def _allowed(self, route: Value) -> Value:
        """Return the available VCs of the output that `route` allows."""
        available = self._of_output(route.want, list(self.available))
        if routes_allow_all(self._params):
            return available
        return available & in_range(route.vc_first, route.vc_last, self._params.vcs)
