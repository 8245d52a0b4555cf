"""Input unit of one port: buffer, route unit, VCs and bypass (Dally and Towles, chapter 16; microarchitecture.md, 8).

The parts have golden models of their own names; `models/switch.py` joins them.
"""

from __future__ import annotations

from typing import NamedTuple

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from hdl import formats
from hdl.buffer.input_vc import InputVc, seen_of_outputs
from hdl.buffer.vc_buffer import VcBuffer
from hdl.lib.logic import encode, one_hot, select_index
from hdl.predict.predictor import Predictor
from hdl.route.lookahead import ahead_ports
from hdl.route.reservation import answer_ports
from hdl.route.route_unit import RouteUnit
from models.params import SwitchParams


class Leaving(NamedTuple):
    """What leaves an input port.

    Attributes
    ----------
    valid, vc : Value
        A flit leaves; the VC of the one that may leave.
    ungranted : Value
        [vcs], one-hot: the VC of a flit that leaves without a grant.
    ended : Value
        [vcs]: VCs whose packet ends with a flit that leaves without a grant.
    quiet : Value
        No grant is possible in this cycle.
    """

    valid: Value
    vc: Value
    ungranted: Value
    ended: Value
    quiet: Value


class InputUnit(wiring.Component):
    """Receives flits, requests the crossbar, and sends the granted flit.

    Parameters
    ----------
    params : SwitchParams
    port : int
        Number of the port.

    Ports
    -----
    link : In(LinkSignature)
    ask : Out(vcs).array(vcs)
        Only with a VC stage: per VC, the VCs of its output that its head requests; 0 without a request.
    claims, claimed_vc : In(vcs), In(vc_bits).array(vcs)
        Only with a VC stage: VCs whose head is allocated an output VC; that output VC.
    speculates, misspeculated : Out(vcs), Out(vcs)
        Only with speculation: VCs whose head has no output VC yet; those whose grant would be in vain.
    waits : Out(ports).array(vcs)
        Only with look-ahead, at a crossbar: output for which a VC's head waits.
    reserves, holds, asked : Out(vcs), Out(vcs), In(vcs)
        Only with reservation, at an exchanger: VCs whose head may request a path; whose head awaits an answer or was
        granted a path; whose head requests a path in this cycle.
    target : Out.array(vcs)
        Only with reservation, at an exchanger: coordinates of the destination of a VC's first packet.
    answer_0, … : In(ValidSignature(reserve_answer))
        Only with reservation, at an exchanger: answers of the crossbars.
    request, drain : Out(vcs), Out(vcs)
        VCs whose first flit can be sent; those whose first flit is to be dropped.
    want : Out(ports).array(vcs)
        Per VC: one-hot, the output of its first flit; 0 if the flit is to be dropped.
    waiting : Out(vcs)
        Only with low-power idle: VCs with a flit whose route is ready.
    chosen_vc, granted : In(vc_bits), In(1)
        VC selected by the switch allocator; the VC sends a flit.
    body, vc : Out(body), Out(vc_bits)
        First flit of `chosen_vc`, and its output VC; combinational from `chosen_vc`.
    tails : Out(vcs)
        VCs whose first flit is a tail, whichever VC is selected; undefined where there is none. With prediction all
        VCs, if the flit of `body` is a tail, else none.
    arrives, head : Out(vcs), Out(1)
        Only with prediction, as all below. While no flit is buffered: VC of the flit on the link, one-hot; the flit is
        a head.
    named : Out(ports)
        Predicted output, one-hot; 0 while not known.
    meets, passes : In(1), In(1)
        The flit on the link is a head that meets all conditions of a bypass (with cached routes it is then sent
        speculatively); the flit on the link is sent in this cycle.
    sent_vc : Out(vc_bits)
        Input VC of `body`.
    right : Out(1)
        The head on the link (computed routes), or the head sent speculatively in the cycle before (cached routes), has
        a route to the predicted output that allows the VC it came on.
    predicted, mispredicted, squashed, bypassed, bypassed_head : Out(1)
        Events: a packet gets the route that was predicted, or another one; a head that met all conditions was
        mispredicted; a flit, or a head, is sent by a bypass.
    rc : Out
        Members of `RouteUnit` for position, tables, cache, events and wake hints, under their names there.

    `seen_of_outputs` lists the other ports.
    """

    _ROUTE_MEMBERS = (
        "position", "program_valid", "entry", "request_valid", "request_tag", "granted", "answer_valid", "answer",
        "merged", "flush", "flushing", "hit", "miss", "evicted", "complete", "address",
    )  # fmt: skip

    _EVENTS = ("predicted", "mispredicted", "squashed", "bypassed", "bypassed_head")

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
            "request": Out(vcs),
            "drain": Out(vcs),
            "want": Out(ports).array(vcs),
            "chosen_vc": In(bits),
            "granted": In(1),
            "body": Out(formats.body(params)),
            "vc": Out(bits),
            "tails": Out(vcs),
            "rc": Out(wiring.Signature(rc)),
        }
        if params.lpi:
            members |= {"waiting": Out(vcs)}
        if params.prediction:
            members |= {"arrives": Out(vcs), "head": Out(1), "named": Out(ports), "passes": In(1), "sent_vc": Out(bits)}
            members |= {"meets": In(1), "right": Out(1)}
            members |= dict.fromkeys(self._EVENTS, Out(1))
        if params.vc_stage:
            members |= {"ask": Out(vcs).array(vcs), "claims": In(vcs), "claimed_vc": In(bits).array(vcs)}
        if params.speculates:
            members |= {"speculates": Out(vcs), "misspeculated": Out(vcs)}
        if params.lookahead and not params.selects:
            members |= {"waits": Out(ports).array(vcs)}
        if params.reserves and params.selects:
            members |= {"reserves": Out(vcs), "holds": Out(vcs), "asked": In(vcs), **answer_ports(params)}
            members |= {"target": Out(sum(params.coordinate_bits)).array(vcs)}
        super().__init__(members | seen_of_outputs(params))

    def elaborate(self, platform: object) -> Module:
        """Build the parts and connect them."""
        m = Module()
        params = self._params
        m.submodules.vc_buffer = buffer = VcBuffer(params)
        m.submodules.route_unit = routes = self._route_unit
        self._connect_link(m, buffer, routes)

        # A head leaves; its output. With adaptive routing the output of a packet is known only when its head leaves.
        learns = Signal()
        learnt = Signal(params.ports)
        if params.prediction:
            leaving = self._elaborate_bypass(m, buffer, routes, learns, learnt)
        else:
            leaving = self._leave_by_grant(m, buffer)
        # A route leaves with its packet's tail. Tails are told per VC, before a VC is selected: a selection between
        # grant and route queue would be on the critical path.
        m.d.comb += routes.releases.eq(
            Cat(self._grants(vc) & self.tails[vc] for vc in range(params.vcs)) | leaving.ended
        )
        m.d.sync += self.link.credit.valid.eq(leaving.valid)
        m.d.sync += self.link.credit.payload.vc.eq(leaving.vc)

        units = [InputVc(params, self._port, vc) for vc in range(params.vcs)]
        for vc, unit in enumerate(units):
            m.submodules[f"input_vc_{vc}"] = unit
            self._connect_vc(m, vc, unit, buffer, routes, leaving)
            self._connect_paths(m, vc, unit, routes)
            self._connect_vc_stage(m, vc, unit)
            if params.prediction:
                self._connect_bypass(m, vc, unit, leaving)
        m.d.comb += self.vc.eq(select_index(leaving.vc, [unit.vc_if_sent for unit in units]))
        if params.selects and params.prediction:
            heads = [self._grants(vc) & unit.head for vc, unit in enumerate(units)]
            m.d.comb += learns.eq(Cat(heads).any() | self.bypassed_head)
            m.d.comb += learnt.eq(Mux(self.bypassed_head, self.named, select_index(self.chosen_vc, list(self.want))))
        return m

    def _connect_link(self, m: Module, buffer: VcBuffer, routes: RouteUnit) -> None:
        """Connect the flit on the link to buffer and route unit, and the outside inputs to the route unit."""
        m.d.comb += routes.flit.valid.eq(self.link.flit.valid)
        m.d.comb += routes.flit.payload.eq(self.link.flit.payload)
        m.d.comb += buffer.flit.payload.eq(self.link.flit.payload)
        for name, member in self.rc.signature.members.items():
            ours, theirs = getattr(self.rc, name), getattr(routes, name)
            m.d.comb += ours.eq(theirs) if member.flow == Out else theirs.eq(ours)

    def _leave_by_grant(self, m: Module, buffer: VcBuffer) -> Leaving:
        """Buffer every flit, which leaves when its VC is granted: the unit without prediction."""
        m.d.comb += buffer.flit.valid.eq(self.link.flit.valid)
        m.d.comb += buffer.pop_valid.eq(self.granted)
        m.d.comb += buffer.pop_vc.eq(self.chosen_vc)
        m.d.comb += self.body.eq(buffer.front)
        m.d.comb += self.tails.eq(buffer.tails)
        return Leaving(self.granted, self.chosen_vc, C(0, self._params.vcs), C(0, self._params.vcs), C(0))

    def _grants(self, vc: int) -> Value:
        """Return whether VC `vc` is granted."""
        return self.granted & (self.chosen_vc == vc)

    def _connect_vc(
        self, m: Module, vc: int, unit: InputVc, buffer: VcBuffer, routes: RouteUnit, leaving: Leaving
    ) -> None:
        """Connect a VC to its first flit, that flit's route, the outputs, and its requests."""
        params = self._params
        granted = self._grants(vc)
        for name in seen_of_outputs(params):
            m.d.comb += Cat(getattr(unit, name)).eq(Cat(getattr(self, name)))
        m.d.comb += unit.nonempty.eq(buffer.nonempty[vc])
        m.d.comb += unit.ready.eq(routes.ready[vc])
        m.d.comb += unit.route.eq(routes.front[vc])
        m.d.comb += unit.sends.eq(granted | leaving.ungranted[vc] if params.prediction else granted)
        m.d.comb += unit.tail.eq(self.tails[vc])
        m.d.comb += self.request[vc].eq(unit.request)
        m.d.comb += self.drain[vc].eq(unit.drain)
        m.d.comb += self.want[vc].eq(unit.want)
        if params.buffering == "static":
            m.d.comb += unit.whole.eq(buffer.whole[vc])
            m.d.comb += unit.several.eq(buffer.several[vc])
        if params.lpi:
            m.d.comb += self.waiting[vc].eq(unit.waiting)

    def _connect_paths(self, m: Module, vc: int, unit: InputVc, routes: RouteUnit) -> None:
        """Connect look-ahead and reservation of a VC."""
        params = self._params
        if params.lookahead and not params.selects:
            m.d.comb += self.waits[vc].eq(unit.waits)
        if params.reserves and params.selects:
            m.d.comb += self.reserves[vc].eq(unit.reserves)
            m.d.comb += self.holds[vc].eq(unit.holds)
            m.d.comb += self.target[vc].eq(routes.front[vc].target)
            m.d.comb += unit.asked.eq(self.asked[vc])
            for name in answer_ports(params):
                connect(m, flipped(getattr(self, name)), getattr(unit, name))

    def _connect_vc_stage(self, m: Module, vc: int, unit: InputVc) -> None:
        """Connect a VC to the VC stage, and its speculative requests to the switch allocator."""
        params = self._params
        if params.vc_stage:
            m.d.comb += self.ask[vc].eq(unit.ask)
            m.d.comb += unit.claims.eq(self.claims[vc])
            m.d.comb += unit.claimed_vc.eq(self.claimed_vc[vc])
        if params.speculates:
            m.d.comb += self.speculates[vc].eq(unit.speculates)
            m.d.comb += self.misspeculated[vc].eq(unit.misspeculated)

    def _connect_bypass(self, m: Module, vc: int, unit: InputVc, leaving: Leaving) -> None:
        """Connect a VC to the signals of the bypass."""
        m.d.comb += unit.quiet.eq(leaving.quiet)
        if self._params.selects:
            m.d.comb += unit.taken_valid.eq(self.bypassed_head & ~self.body.tail & (self.sent_vc == vc))
            m.d.comb += unit.taken.eq(self.named)

    def _elaborate_bypass(
        self, m: Module, buffer: VcBuffer, routes: RouteUnit, learns: Signal, learnt: Signal
    ) -> Leaving:
        """Build the predictor, and let the flit on the link leave while no flit is buffered."""
        params = self._params
        m.submodules.predictor = predictor = Predictor(params, self._port)
        if predictor.reads_position:
            m.d.comb += predictor.position.eq(self.rc.position)
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
            # `allows` compares the output as well.
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
        m.d.comb += self.tails.eq(self.body.tail.replicate(params.vcs))
        m.d.comb += self.body.data.eq(Mux(idle, incoming.data, buffer.front.data))
        if params.has_cache:
            chosen_vc, confirming = self._elaborate_speculative_forwarding(m, routes, matches)
            quiet = idle | confirming.any()
            ungranted = passing | (confirming & self.right.replicate(params.vcs))
            m.d.comb += self.bypassed.eq(self.passes | self.right)
            m.d.comb += self.bypassed_head.eq(self.right)
            m.d.comb += buffer.pop_valid.eq(self.granted | self.right)
            m.d.comb += routes.sent.eq(self.right & buffer.front.tail)
            ended = ungranted & self.body.tail.replicate(params.vcs)
        else:
            chosen_vc, ungranted, quiet = self.chosen_vc, passing, idle
            m.d.comb += self.bypassed.eq(self.passes)
            m.d.comb += self.bypassed_head.eq(self.passes & self.head)
            m.d.comb += self.squashed.eq(self.meets & ~self.right)
            m.d.comb += buffer.pop_valid.eq(self.granted)
            m.d.comb += routes.asked_vc.eq(incoming.vc)
            m.d.comb += self.right.eq(matches & routes.allows)
            m.d.comb += routes.sent.eq(self.passes & incoming.tail)
            # A single-flit packet that is sent by a bypass has claimed no entry of the route queue.
            ended = passing & (incoming.tail & ~routes.head).replicate(params.vcs)
        m.d.comb += leaves.eq(self.granted | self.bypassed)
        m.d.comb += buffer.pop_vc.eq(chosen_vc)
        m.d.comb += self.sent_vc.eq(Mux(idle, incoming.vc, chosen_vc))
        return Leaving(leaves, self.sent_vc, ungranted, ended, quiet)

    def _elaborate_speculative_forwarding(self, m: Module, routes: RouteUnit, matches: Signal) -> tuple[Value, Value]:
        """Confirm or squash the head that was sent speculatively in the cycle before.

        Only this head is buffered then, and only its route can be written, so the prediction has not changed since.

        Returns
        -------
        tuple of Value
            VC whose first flit may leave; VC of a head that awaits its confirmation, one-hot.
        """
        params = self._params
        confirming = Signal(params.vcs)
        speculative_vc = Signal(params.vc_bits)
        m.d.sync += confirming.eq(self.arrives & self.meets.replicate(params.vcs))
        m.d.comb += speculative_vc.eq(encode(list(confirming), params.vc_bits))
        m.d.comb += routes.asked_vc.eq(speculative_vc)
        m.d.comb += self.right.eq(confirming.any() & routes.hit & matches & routes.allows)
        m.d.comb += self.squashed.eq(confirming.any() & ~self.right)
        # The switch allocator selects no VC here, which reads as VC 0.
        return self.chosen_vc | speculative_vc, confirming
