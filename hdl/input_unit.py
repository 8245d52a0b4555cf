"""One input port: buffer, routes, and the state and requests of its VCs (docs/microarchitecture.md, section 8).

Its behaviour is that of its parts, each with a model of its name, and of `models/switch.py`, which joins them.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.adaptive import Adaptive, choice_range, credits_of, usable
from hdl.head_delay import HeadDelay
from hdl.logic import encode, one_hot, select_hot, select_index
from hdl.lookahead import ahead_ports, paths_free
from hdl.output_unit import credit_bits
from hdl.predictor import Predictor
from hdl.route_unit import RouteUnit
from hdl.vc_allocator import VcAllocator, in_range, routes_allow_all
from hdl.vc_buffer import VcBuffer
from models.params import SwitchParams


class InputUnit(wiring.Component):
    """Receives flits, says which VCs could send, and sends when granted.

    Parameters
    ----------
    params : SwitchParams
    port : int
        Number of the port.

    Ports
    -----
    link : In(LinkSignature)
    has_credit : In(vcs).array(ports)
        Per output port: VCs a body flit may use.
    available : In(vcs).array(ports)
        Per output port: VCs a head may claim; not if all routes allow all VCs, unless there is a VC stage.
    pointer : In(vc_bits).array(ports)
        Per output port: where the search for a VC begins; not if all routes allow all VCs, nor with a VC stage.
    any, candidate : In(ports), In(vc_bits).array(ports)
        Per output port: there is a VC a head may claim, and which; if all routes allow all VCs, without a VC stage.
    credits : In.array(ports, vcs)
        Only with a choice among outputs; per output port and VC.
    ahead_0, … : In
        Only with look-ahead, of an exchanger: what the crossbars show.
    ask : Out(vcs).array(vcs)
        Only with a VC stage: the VCs behind its output that a VC's head asks for; 0 if it does not ask.
    claims, claimed_vc : In(vcs), In(vc_bits).array(vcs)
        Only with a VC stage: heads that get an output VC, and which.
    waits : Out(ports).array(vcs)
        Only with look-ahead, of a crossbar: output for which a VC's head waits.
    request, drain : Out(vcs), Out(vcs)
        VCs whose first flit could leave; those of them in which it is to be dropped.
    want : Out(ports).array(vcs)
        One-hot, that output; 0 if it is to be dropped.
    waiting : Out(vcs)
        VCs with a flit whose route is ready; only with low-power idle.
    chosen_vc, granted : In(vc_bits), In(1)
        The switch allocator's choice, and whether it leaves.
    body, vc : Out(body), Out(vc_bits)
        Flit of the chosen VC and its output VC, combinational from `chosen_vc`.
    arrives, head : Out(vcs), Out(1)
        Only with prediction, as all below. VC of the flit on the link if no flit is buffered, one-hot; it is a head.
    named : Out(ports)
        The output that is predicted, one-hot; 0 if none is known.
    meets, passes : In(1), In(1)
        The flit on the link is a head that meets all conditions of a bypass; it is a flit that is sent now. With cached
        routes the former is sent on trust.
    sent_vc : Out(vc_bits)
        The input VC of `body`.
    right : Out(1)
        The head on the link (computed routes), or the one that was sent on trust in the cycle before (cached), leads to
        the output that was named, on the VC it came on.
    predicted, mispredicted, killed, bypassed, bypassed_head : Out(1)
        Events: a packet gets the route that was named, or another; a head that met all conditions was wrong; a flit,
        and a head, is sent by a bypass.
    rc : Out
        The members of `RouteUnit` that concern the position, the CAM, the cache and events, under their names there.
    """

    _ROUTE_MEMBERS = (
        "position", "request_valid", "request_tag", "granted", "answer_valid", "answer", "merged",
        "flush", "flushing", "hit", "miss", "evicted",
    )  # fmt: skip

    _EVENTS = ("predicted", "mispredicted", "killed", "bypassed", "bypassed_head")

    def __init__(self, params: SwitchParams, port: int) -> None:
        self._params = params
        self._port = port
        self._route_unit = RouteUnit(params, port)
        bits, vcs, ports = params.vc_bits, params.vcs, params.ports
        rc = {
            name: member for name, member in self._route_unit.signature.members.items() if name in self._ROUTE_MEMBERS
        }
        members = {
            "link": In(formats.LinkSignature(params)),
            "has_credit": In(vcs).array(ports),
            "request": Out(vcs),
            "drain": Out(vcs),
            "want": Out(ports).array(vcs),
            "chosen_vc": In(bits),
            "granted": In(1),
            "body": Out(formats.body(params)),
            "vc": Out(bits),
            "rc": Out(wiring.Signature(rc)),
        }
        if params.lpi:
            members |= {"waiting": Out(vcs)}
        if params.prediction:
            members |= {"arrives": Out(vcs), "head": Out(1), "named": Out(ports), "passes": In(1), "sent_vc": Out(bits)}
            members |= {"meets": In(1), "right": Out(1)}
            members |= dict.fromkeys(self._EVENTS, Out(1))
        if params.vc_stage:
            members |= {"available": In(vcs).array(ports), "ask": Out(vcs).array(vcs)}
            members |= {"claims": In(vcs), "claimed_vc": In(bits).array(vcs)}
        elif routes_allow_all(params):
            members |= {"any": In(ports), "candidate": In(bits).array(ports)}
        else:
            members |= {"available": In(vcs).array(ports), "pointer": In(bits).array(ports)}
        if params.selects:
            members |= {"credits": In(credit_bits(params)).array(ports, vcs)}
            members |= {name: In(width) for name, width in ahead_ports(params).items() if params.lookahead}
        if params.lookahead and not params.selects:
            members |= {"waits": Out(ports).array(vcs)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the two units and each VC's state."""
        m = Module()
        params = self._params
        m.submodules.vc_buffer = buffer = VcBuffer(params)
        m.submodules.route_unit = routes = self._route_unit
        m.d.comb += routes.flit.valid.eq(self.link.flit.valid)
        m.d.comb += routes.flit.payload.eq(self.link.flit.payload)
        m.d.comb += buffer.flit.payload.eq(self.link.flit.payload)
        for name, member in self.rc.signature.members.items():
            ours, theirs = getattr(self.rc, name), getattr(routes, name)
            m.d.comb += ours.eq(theirs) if member.flow == Out else theirs.eq(ours)

        # A head leaves, and for which output: only then is that known if there is a choice.
        learns = Signal()
        learnt = Signal(params.ports)
        heads = []
        # What leaves, and what leaves by no grant: the VC of the former, each VC of the latter.
        leaves, leaving_vc, ungranted, quiet = self.granted, self.chosen_vc, C(0, params.vcs), C(0)
        if params.prediction:
            leaves, leaving_vc, ungranted, quiet = self._elaborate_bypass(m, buffer, routes, learns, learnt)
        else:
            m.d.comb += buffer.flit.valid.eq(self.link.flit.valid)
            m.d.comb += buffer.pop_valid.eq(self.granted)
            m.d.comb += buffer.pop_vc.eq(self.chosen_vc)
            m.d.comb += self.body.eq(buffer.front)
        m.d.comb += routes.release_valid.eq(self.granted & self.body.tail)
        m.d.comb += routes.release_vc.eq(self.chosen_vc)
        m.d.sync += self.link.credit.valid.eq(leaves)
        m.d.sync += self.link.credit.payload.vc.eq(leaving_vc)

        # A computed route of one header flit is written with it: it is there when the flit is.
        at_once = params.computed and params.header_flits == 1 and not params.selects
        vcs_if_sent = []
        for vc in range(params.vcs):
            route, ready = routes.front[vc], routes.ready[vc]
            if params.selects:
                m.submodules[f"adaptive_{vc}"] = choice = Adaptive(params, self._port, vc)
                route, ready = choice.chosen, choice.valid
            want = route.want
            waiting = Signal(name=f"waiting_{vc}")
            active = Signal(name=f"active_{vc}")
            out_vc = Signal(params.vc_bits, name=f"out_vc_{vc}", reset_less=True)
            # One-hot while active: what `out_vc` says.
            owns = Signal(params.vcs, name=f"owns_{vc}")
            candidate = Signal(params.vc_bits, name=f"candidate_{vc}")
            sendable = Signal(name=f"sendable_{vc}")
            sends = Signal(name=f"sends_{vc}")
            vc_if_sent = Signal(params.vc_bits, name=f"vc_if_sent_{vc}")
            m.d.comb += waiting.eq(buffer.nonempty[vc] if at_once else buffer.nonempty[vc] & ready)
            if params.lpi:
                m.d.comb += self.waiting[vc].eq(waiting)
            usable = [(owns & credits).any() for credits in self.has_credit]
            if params.vc_stage:
                m.d.comb += sendable.eq(self._of_output(want, usable) | ~want.any())
                m.d.comb += candidate.eq(self.claimed_vc[vc])
            elif routes_allow_all(params):
                usable = [credit | (~active & found) for credit, found in zip(usable, self.any, strict=True)]
                # Not "the output it wants is usable" but "none it wants is not": what is to be dropped may go, too.
                m.d.comb += sendable.eq(~self._of_output(want, [~ok for ok in usable]))
                m.d.comb += candidate.eq(self._of_output(want, list(self.candidate)))
            else:
                allocator = self._allocate(m, vc, route)
                m.d.comb += sendable.eq(self._of_output(want, usable) | (~active & allocator.any) | ~want.any())
                m.d.comb += candidate.eq(allocator.vc)
            claims = self.claims[vc] if params.vc_stage else C(0)
            # A head is at the front that wants an output, and what it needs beside a VC to ask for it.
            heads_wait, needs = waiting & want.any() & ~active, []
            if params.head_delay:
                m.submodules[f"head_delay_{vc}"] = delay = HeadDelay(params.head_delay)
                m.d.comb += delay.waits.eq(heads_wait)
                m.d.comb += delay.leaves.eq(sends)
                heads_wait &= delay.over
                needs.append(delay.over)
            if params.lookahead:
                if params.selects:
                    needs.append(choice.go)
                else:
                    m.d.comb += self.waits[vc].eq(want & waiting.replicate(params.ports))
            if params.buffering == "static":
                # A head that could have asked and got nothing waits for the rest of its packet.
                blocked = Signal(name=f"blocked_{vc}")
                needs.append(~blocked | buffer.whole[vc])
                with m.If(sends | claims):
                    m.d.sync += blocked.eq(0)
                with m.Elif(heads_wait):
                    m.d.sync += blocked.eq(1)
            if params.vc_stage:
                m.d.comb += self.request[vc].eq(waiting & sendable)
                asks = Cat(waiting, ~active, *needs).all()
                m.d.comb += self.ask[vc].eq(self._allowed(route) & asks.replicate(params.vcs))
            else:
                free = active | ~want.any() if needs else C(1)
                m.d.comb += self.request[vc].eq(waiting & sendable & (free | Cat(needs).all()))
            m.d.comb += self.drain[vc].eq(waiting & ~want.any())
            m.d.comb += self.want[vc].eq(want)
            if params.prediction:
                # A head that is sent by a bypass keeps the number of its VC.
                m.d.comb += vc_if_sent.eq(Mux(active, out_vc, Mux(quiet, vc, candidate)))
            else:
                m.d.comb += vc_if_sent.eq(Mux(active, out_vc, candidate))
            vcs_if_sent.append(vc_if_sent)
            granted = self.granted & (self.chosen_vc == vc)
            m.d.comb += sends.eq(granted | ungranted[vc] if params.prediction else granted)
            heads.append(granted & self._is_head(m, vc, active, sends) & want.any())
            if params.selects:
                self._choose(m, vc, choice, routes, active | sends | claims, sends & self.body.tail)
            # A drained packet may set them, too: its requests do not look at them, and its tail clears them.
            with m.If(sends):
                m.d.sync += active.eq(~self.body.tail)
                m.d.sync += out_vc.eq(vc_if_sent)
                m.d.sync += owns.eq(one_hot(vc_if_sent, params.vcs) & (~self.body.tail).replicate(params.vcs))
            if params.vc_stage:
                with m.Elif(claims):
                    m.d.sync += active.eq(1)
                    m.d.sync += out_vc.eq(candidate)
                    m.d.sync += owns.eq(one_hot(candidate, params.vcs))
        m.d.comb += self.vc.eq(select_index(leaving_vc, vcs_if_sent))
        if params.selects and params.prediction:
            m.d.comb += learns.eq(Cat(heads).any() | self.bypassed_head)
            m.d.comb += learnt.eq(Mux(self.bypassed_head, self.named, select_index(self.chosen_vc, list(self.want))))
        return m

    def _is_head(self, m: Module, vc: int, active: Signal, sends: Value) -> Value:
        """Return whether the flit at the front of a VC is a head: with a VC stage it may own its VC already."""
        if not (self._params.vc_stage and self._params.selects and self._params.prediction):
            return ~active
        claimed = Signal(name=f"claimed_{vc}")
        with m.If(sends):
            m.d.sync += claimed.eq(0)
        with m.Elif(self.claims[vc]):
            m.d.sync += claimed.eq(1)
        return claimed

    def _choose(self, m: Module, vc: int, choice: Adaptive, routes: RouteUnit, keep: Value, leaves: Value) -> None:
        """Give an input VC's choice what it looks at."""
        params = self._params
        route = routes.front[vc]
        m.d.comb += choice.ready.eq(routes.ready[vc])
        m.d.comb += choice.route.eq(route)
        m.d.comb += choice.keep.eq(keep)
        m.d.comb += choice.leaves.eq(leaves)
        free: list[Value] = []
        if params.lookahead:
            ahead = [getattr(self, name) for name in ahead_ports(params)]
            w = choice_range(params, self._port, vc)[0]
            free = paths_free(params, ahead, route.target, w) if w < params.vcs else []
        for o in formats.outputs(params, self._port):
            open_ = usable(self.available[o], params, self._port, vc)
            m.d.comb += choice.open[o].eq(open_ & free[o] if o < len(free) else open_)
            if "credits" in choice.signature.members:
                m.d.comb += choice.credits[o].eq(credits_of(list(self.credits[o]), params, self._port, vc))
        if params.prediction:
            bypassed = self.bypassed_head & ~self.body.tail
            m.d.comb += choice.taken_valid.eq(bypassed & (self.sent_vc == vc))
            m.d.comb += choice.taken.eq(self.named)

    def _elaborate_bypass(
        self, m: Module, buffer: VcBuffer, routes: RouteUnit, learns: Signal, learnt: Signal
    ) -> tuple[Value, Value, Value, Value]:
        """Build the predictor, and let the flit on the link leave while no flit is buffered.

        Returns
        -------
        tuple of Value
            A flit leaves; the VC of the one that may leave; the VC of one that leaves without a grant, one-hot; no
            grant is possible in this cycle.
        """
        params = self._params
        m.submodules.predictor = predictor = Predictor(params, self._port)
        incoming = self.link.flit.payload
        idle = Signal()
        matches = Signal()
        leaves = Signal()
        m.d.comb += idle.eq(~buffer.nonempty.any())
        arrives = self.link.flit.valid & idle
        m.d.comb += self.arrives.eq(one_hot(incoming.vc, params.vcs) & arrives.replicate(params.vcs))
        passing = self.arrives & self.passes.replicate(params.vcs)
        m.d.comb += self.head.eq(routes.head)
        m.d.comb += self.named.eq(predictor.named)
        if params.selects:
            # `allows` says it all.
            m.d.comb += matches.eq(1)
            m.d.comb += routes.asked.eq(self.named)
            for name in ahead_ports(params) if params.lookahead else ():
                m.d.comb += getattr(routes, name).eq(getattr(self, name))
            m.d.comb += predictor.update.eq(learns)
            m.d.comb += predictor.want.eq(learnt)
        else:
            m.d.comb += matches.eq((routes.want & self.named).any())
            m.d.comb += predictor.update.eq(routes.routed)
            m.d.comb += predictor.want.eq(routes.want)
        m.d.comb += self.predicted.eq(predictor.update & (predictor.want & self.named).any())
        m.d.comb += self.mispredicted.eq(predictor.update & ~(predictor.want & self.named).any() & self.named.any())

        m.d.comb += buffer.flit.valid.eq(self.link.flit.valid & ~self.passes)
        m.d.comb += self.body.tail.eq(Mux(idle, incoming.tail, buffer.front.tail))
        m.d.comb += self.body.data.eq(Mux(idle, incoming.data, buffer.front.data))
        if params.has_cache:
            chosen_vc, confirming = self._elaborate_trust(m, routes, matches)
            quiet = idle | confirming.any()
            ungranted = passing | (confirming & self.right.replicate(params.vcs))
            m.d.comb += self.bypassed.eq(self.passes | self.right)
            m.d.comb += self.bypassed_head.eq(self.right)
            m.d.comb += buffer.pop_valid.eq(self.granted | self.right)
            m.d.comb += routes.sent.eq(self.right & buffer.front.tail)
            m.d.comb += routes.done.eq(ungranted & self.body.tail.replicate(params.vcs))
        else:
            chosen_vc, ungranted, quiet = self.chosen_vc, passing, idle
            m.d.comb += self.bypassed.eq(self.passes)
            m.d.comb += self.bypassed_head.eq(self.passes & self.head)
            m.d.comb += self.killed.eq(self.meets & ~self.right)
            m.d.comb += buffer.pop_valid.eq(self.granted)
            m.d.comb += routes.asked_vc.eq(incoming.vc)
            m.d.comb += self.right.eq(matches & routes.allows)
            m.d.comb += routes.sent.eq(self.passes & incoming.tail)
            # A packet of one flit that is sent by a bypass has claimed no entry.
            m.d.comb += routes.done.eq(passing & (incoming.tail & ~routes.head).replicate(params.vcs))
        m.d.comb += leaves.eq(self.granted | self.bypassed)
        m.d.comb += buffer.pop_vc.eq(chosen_vc)
        m.d.comb += self.sent_vc.eq(Mux(idle, incoming.vc, chosen_vc))
        return leaves, self.sent_vc, ungranted, quiet

    def _elaborate_trust(self, m: Module, routes: RouteUnit, matches: Signal) -> tuple[Value, Value]:
        """Confirm or kill the head that was sent on trust in the cycle before.

        Only this head is buffered then, and no route but its own is written: what is named is what was named.

        Returns
        -------
        tuple of Value
            The VC whose first flit may leave; the VC of a head that awaits its confirmation, one-hot.
        """
        params = self._params
        confirming = Signal(params.vcs)
        trusted_vc = Signal(params.vc_bits)
        m.d.sync += confirming.eq(self.arrives & self.meets.replicate(params.vcs))
        m.d.comb += trusted_vc.eq(encode(list(confirming), params.vc_bits))
        m.d.comb += routes.asked_vc.eq(trusted_vc)
        m.d.comb += self.right.eq(confirming.any() & routes.hit & matches & routes.allows)
        m.d.comb += self.killed.eq(confirming.any() & ~self.right)
        # The switch allocator chooses nobody, which is VC 0.
        return self.chosen_vc | trusted_vc, confirming

    def _of_output(self, want: Value, values: Sequence[Value]) -> Value:
        """Return the value of the output that a route wants."""
        outputs = formats.outputs(self._params, self._port)
        return select_hot([want[o] for o in outputs], [values[o] for o in outputs])

    def _allowed(self, route: Value) -> Value:
        """Return the available VCs that a route allows."""
        available = self._of_output(route.want, list(self.available))
        if routes_allow_all(self._params):
            return available
        return available & in_range(route.vc_first, route.vc_last, self._params.vcs)

    def _allocate(self, m: Module, vc: int, route: Value) -> VcAllocator:
        """Build the VC allocator of an input VC whose routes may restrict the output VC."""
        m.submodules[f"vc_allocator_{vc}"] = allocator = VcAllocator(self._params)
        m.d.comb += allocator.available.eq(self._of_output(route.want, list(self.available)))
        m.d.comb += allocator.first.eq(route.vc_first)
        m.d.comb += allocator.last.eq(route.vc_last)
        m.d.comb += allocator.pointer.eq(self._of_output(route.want, list(self.pointer)))
        return allocator
