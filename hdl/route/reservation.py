"""Reservation of paths through crossbars (Boku et al.: paper E, section 3.1; microarchitecture.md, section 12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import C, Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out, connect, flipped

from hdl import formats
from hdl.allocate.arbiter import RoundRobinArbiter
from hdl.lib.logic import balanced_or, one_hot, select_hot
from hdl.route.adaptive import step_vc
from hdl.route.lookahead import Lookahead
from models.params import SwitchParams


def _wires(params: SwitchParams) -> list[tuple[int, int]]:
    """Return the ports of a switch with reservation wires, each with the number of outputs of the crossbar there."""
    if params.selects:
        return list(enumerate(params.radix))
    return [(port, params.ports) for port in range(params.ports)]


def reserve_ports(params: SwitchParams) -> dict[str, Member]:
    """Return the reservation ports of a switch, by name: `reserve_0`, … and `answer_0`, ….

    An exchanger sends requests to the crossbar of dimension d on `reserve_d`, and gets the answers on `answer_d`. A
    crossbar gets requests, and answers them, at each of its ports.
    """
    asks, answers = (Out, In) if params.selects else (In, Out)
    answer = formats.ValidSignature(formats.reserve_answer(params))
    members = {}
    for port, outputs in _wires(params):
        members[f"reserve_{port}"] = asks(formats.ValidSignature(formats.reserve_request(params, outputs)))
        members[f"answer_{port}"] = answers(answer)
    return members


def answer_ports(params: SwitchParams) -> dict[str, Member]:
    """Return the members by which an input VC of an exchanger sees the answers."""
    return {name: member for name, member in reserve_ports(params).items() if name.startswith("answer")}


def answered(params: SwitchParams, answers: Sequence[Value], want: Value, vc: int) -> tuple[Value, Value]:
    """Return whether an answer is for VC `vc` of output `want` (one-hot), and whether it is a grant."""
    mine = [want[d] & answer.valid & (answer.payload.vc == vc) for d, answer in enumerate(answers)]
    granted = [hit & answer.payload.granted for hit, answer in zip(mine, answers, strict=True)]
    return Cat(mine).any(), Cat(granted).any()


class Asker(wiring.Component):
    """Sends reservation requests to the crossbar of one dimension, for one head per cycle.

    Parameters
    ----------
    params : SwitchParams
        Of the exchanger.
    dimension : int

    Ports
    -----
    asks : In(vcs).array(ports)
        Per input port: VCs whose head may request a path.
    holds : In(vcs).array(ports)
        Per input port: VCs whose head awaits an answer or was granted the path.
    target : In.array(ports, vcs)
        Per input port and VC: coordinate of the destination in this dimension.
    asked : Out(vcs).array(ports)
        Per input port: the VC whose head requests in this cycle; one bit of all ports.
    reserve : Out(ValidSignature(reserve_request))
        The request, from a register.
    """

    def __init__(self, params: SwitchParams, dimension: int) -> None:
        if not params.selects or not params.reserves:
            raise ValueError("adaptive.reservation is not set, or the switch is a crossbar: Asker needs an exchanger")
        self._params = params
        request = formats.reserve_request(params, params.radix[dimension])
        self._target_bits = request["output"].width
        super().__init__(
            {
                "asks": In(params.vcs).array(params.ports),
                "holds": In(params.vcs).array(params.ports),
                "target": In(self._target_bits).array(params.ports, params.vcs),
                "asked": Out(params.vcs).array(params.ports),
                "reserve": Out(formats.ValidSignature(request)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the arbiter and the request register."""
        m = Module()
        params = self._params
        heads = [
            (port, vc, step_vc(params, port, vc))
            for port in range(params.ports)
            for vc in range(params.vcs)
            if step_vc(params, port, vc) < params.vcs
        ]
        taken = [Cat(self.holds[port][vc] for port, vc, w in heads if w == step).any() for step in range(params.vcs)]
        m.submodules.arbiter = arbiter = RoundRobinArbiter(len(heads))
        m.d.comb += arbiter.requests.eq(Cat(self.asks[port][vc] & ~taken[w] for port, vc, w in heads))
        m.d.comb += arbiter.advance.eq(1)
        for number, (port, vc, _) in enumerate(heads):
            m.d.comb += self.asked[port][vc].eq(arbiter.grant[number])
        grants = list(arbiter.grant)
        m.d.sync += self.reserve.valid.eq(arbiter.grant.any())
        m.d.sync += self.reserve.payload.vc.eq(select_hot(grants, [C(w, params.vc_bits) for _, _, w in heads]))
        targets = [self.target[port][vc] for port, vc, _ in heads]
        m.d.sync += self.reserve.payload.output.eq(select_hot(grants, targets))
        return m


class Reservations(wiring.Component):
    """Reserves the outputs of a crossbar, and answers each request in the next cycle.

    Parameters
    ----------
    params : SwitchParams
        Of the crossbar.

    Ports
    -----
    available : In(vcs).array(ports)
        Per output port: VCs that a head may claim.
    waits : In(ports).array(vcs)
        Per VC: outputs for which a head waits.
    sent : In(vcs).array(ports)
        Per output port: VC on which a flit is sent, one-hot.
    reserved : Out(vcs).array(ports)
        Register, per output port: VCs that are reserved.

    `reserve_ports` lists the other ports; answers come from registers.
    """

    def __init__(self, params: SwitchParams) -> None:
        if params.selects or not params.reserves:
            raise ValueError("adaptive.reservation is not set, or the switch is no crossbar: Reservations needs one")
        self._params = params
        super().__init__(
            {
                "available": In(params.vcs).array(params.ports),
                "waits": In(params.ports).array(params.vcs),
                "sent": In(params.vcs).array(params.ports),
                "reserved": Out(params.vcs).array(params.ports),
                **reserve_ports(params),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build one arbiter per output, and the reserved bits."""
        m = Module()
        params = self._params
        ports, vcs = range(params.ports), range(params.vcs)
        requests = [getattr(self, f"reserve_{port}") for port in ports]
        answers = [getattr(self, f"answer_{port}") for port in ports]
        grants = []
        for o in ports:
            open_ = Signal(params.vcs, name=f"open_{o}")
            m.d.comb += open_.eq(self.available[o] & ~self.reserved[o] & ~Cat(self.waits[w][o] for w in vcs))
            arbiter = RoundRobinArbiter(params.ports)
            m.submodules[f"arbiter_{o}"] = arbiter
            asks = [
                request.valid & (request.payload.output == o) & (one_hot(request.payload.vc, params.vcs) & open_).any()
                for request in requests
            ]
            m.d.comb += arbiter.requests.eq(Cat(asks))
            m.d.comb += arbiter.advance.eq(1)
            grants.append(arbiter.grant)
            for w in vcs:
                taken = [arbiter.grant[i] & (requests[i].payload.vc == w) for i in ports]
                with m.If(self.sent[o][w]):
                    m.d.sync += self.reserved[o][w].eq(0)
                with m.Elif(Cat(taken).any()):
                    m.d.sync += self.reserved[o][w].eq(1)
        for i, (request, answer) in enumerate(zip(requests, answers, strict=True)):
            m.d.sync += answer.valid.eq(request.valid)
            m.d.sync += answer.payload.vc.eq(request.payload.vc)
            m.d.sync += answer.payload.granted.eq(Cat(grant[i] for grant in grants).any())
        return m


def add_askers(m: Module, params: SwitchParams, switch: wiring.Component, inputs: Sequence[Any]) -> None:
    """Add an `Asker` for each dimension to an exchanger, and connect it to the input units."""
    low = 0
    asked: list[list[Value]] = [[] for _ in inputs]
    for d, bits in enumerate(params.coordinate_bits):
        m.submodules[f"asker_{d}"] = asker = Asker(params, d)
        connect(m, asker.reserve, flipped(getattr(switch, f"reserve_{d}")))
        for port, unit in enumerate(inputs):
            wants = Cat(unit.want[vc][d] for vc in range(params.vcs))
            m.d.comb += asker.asks[port].eq(unit.reserves & wants)
            m.d.comb += asker.holds[port].eq(unit.holds & wants)
            for vc in range(params.vcs):
                m.d.comb += asker.target[port][vc].eq(unit.target[vc][low : low + bits])
            asked[port].append(asker.asked[port])
        low += bits
    for port, unit in enumerate(inputs):
        m.d.comb += unit.asked.eq(balanced_or(asked[port]))


def add_reservations(
    m: Module, params: SwitchParams, switch: wiring.Component, outputs: Sequence[Any], lookahead: Lookahead
) -> None:
    """Add `Reservations` to a crossbar, and connect it to output units and look-ahead."""
    m.submodules.reservations = reservations = Reservations(params)
    for name in reserve_ports(params):
        connect(m, flipped(getattr(switch, name)), getattr(reservations, name))
    for vc in range(params.vcs):
        m.d.comb += reservations.waits[vc].eq(lookahead.waits[vc])
    for o, output in enumerate(outputs):
        sent = one_hot(output.flit.vc, params.vcs) & output.send.replicate(params.vcs)
        m.d.comb += reservations.available[o].eq(lookahead.available[o])
        m.d.comb += reservations.sent[o].eq(sent)
        m.d.comb += lookahead.reserved[o].eq(reservations.reserved[o])
