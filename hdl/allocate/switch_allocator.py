"""Switch allocator: separable, with held connections (Dally and Towles, 19.3; microarchitecture.md, section 8)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.allocate.arbiter import arbiter
from hdl.allocate.matching import Matching
from hdl.lib.barrier import barrier
from hdl.lib.logic import encode, select_index
from models.params import SwitchParams


class SwitchAllocator(wiring.Component):
    """Grants, in one cycle, each output port to at most one input port, and selects the VC that each input port sends.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    request, drain : In(vcs).array(ports)
        Per input port: VCs whose first flit can be sent unless another VC holds the output; those whose first flit is
        to be dropped.
    want : In(ports).array(ports, vcs)
        Per input VC: one-hot, the output it requests; 0 if its flit is to be dropped.
    speculates, misspeculated : In(vcs).array(ports)
        Only with speculation; per input port: VCs whose head has no output VC yet; those whose grant would be in vain.
    tail : In(vcs).array(ports)
        Per input port: VCs whose first flit is a tail; undefined where there is none. With prediction all VCs, if the
        flit that the port may send is a tail, else none.
    chosen_vc : Out(vc_bits).array(ports)
        Per input port: number of the selected VC; 0 without one. Output first: only a VC that is granted.
    granted, drained : Out(ports), Out(ports)
        Per input port: the selected VC sends a flit; its flit is dropped instead (sent to the drain port).
    select : Out.array(ports)
        Per output port: the input port granted, numbered among `formats.inputs`; undefined without a grant.
    sent : Out(ports)
        Per output port: a flit is sent.
    requested : Out(ports)
        Only with prediction, as all below; per output port: an input VC requests it, held outputs taken into account,
        whether or not a flit is sent.
    owner : In.array(ports)
        Per output port without a request: the value of `select`.
    passed : In(ports)
        Per output port without a request: a flit on the link of this input port is sent by a bypass.
    passing : In(vcs).array(ports)
        Per input port: the VC of the flit on its link that a bypass sends; 0 without one.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        ports, vcs = params.ports, params.vcs
        members = {
            "request": In(vcs).array(ports),
            "drain": In(vcs).array(ports),
            "want": In(ports).array(ports, vcs),
            "tail": In(vcs).array(ports),
            "chosen_vc": Out(params.vc_bits).array(ports),
            "granted": Out(ports),
            "drained": Out(ports),
            "select": Out(formats.select_bits(params)).array(ports),
            "sent": Out(ports),
        }
        if params.speculates:
            members |= {"speculates": In(vcs).array(ports), "misspeculated": In(vcs).array(ports)}
        if params.prediction:
            members |= {
                "requested": Out(ports),
                "owner": In(formats.select_bits(params)).array(ports),
                "passed": In(ports),
                "passing": In(vcs).array(ports),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build eligible VCs, the allocation, and the signals that depend on it."""
        m = Module()
        params = self._params
        ports = range(params.ports)
        held = Signal(params.ports)
        choices = [Signal(params.vcs, name=f"choice_{i}") for i in ports]
        # Per input port: VCs that may be selected; the VC that holds an output, which goes before the others.
        eligible = [Signal(params.vcs, name=f"eligible_{i}") for i in ports]
        holders = [Signal(params.vcs, name=f"holder_{i}") for i in ports]
        for i in ports:
            self._elaborate_eligible(m, i, held, choices[i], eligible[i], holders[i])
        # Per input port: the flit that it sends is a tail.
        tails = [self.tail[i][0] if params.prediction else (choices[i] & self.tail[i]).any() for i in ports]
        build = self._elaborate_matching if params.matching else self._elaborate_input_first
        for o, (winner, sends) in enumerate(build(m, choices, eligible, holders)):
            inputs = formats.inputs(params, o)
            if params.prediction:
                requests = [eligible[i][vc] & self.want[i][vc][o] for i in inputs for vc in range(params.vcs)]
                m.d.comb += self.requested[o].eq(Cat(requests).any())
                m.d.comb += self.select[o].eq(Mux(self.requested[o], winner, self.owner[o]))
                m.d.comb += self.sent[o].eq(sends | self.passed[o])
            else:
                m.d.comb += self.select[o].eq(winner)
                m.d.comb += self.sent[o].eq(sends)
            if params.hold_packets:
                tail = select_index(self.select[o], [tails[i] for i in inputs])
                m.d.sync += held[o].eq(self.sent[o] & ~tail)
        return m

    def _elaborate_eligible(
        self, m: Module, i: int, held: Signal, choice: Signal, eligible: Signal, holder: Signal
    ) -> None:
        """Build the VCs of input i that may be selected, and the register of the VC that holds an output."""
        if not self._params.hold_packets:
            m.d.comb += eligible.eq(self.request[i])
            return
        for vc in range(self._params.vcs):
            blocked = Signal(name=f"blocked_{i}_{vc}")
            m.d.comb += blocked.eq((self.want[i][vc] & held).any() & ~holder[vc])
            m.d.comb += eligible[vc].eq(self.request[i][vc] & ~blocked)
            going_on = self.granted[i] & choice[vc] & ~self.tail[i][vc] & ~self.drain[i][vc]
            if self._params.prediction:
                going_on |= self.passing[i][vc] & ~self.tail[i][vc]
            m.d.sync += holder[vc].eq(going_on)

    def _elaborate_input_first(
        self, m: Module, choices: list[Signal], eligible: list[Signal], holders: list[Signal]
    ) -> list[tuple[Value, Value]]:
        """Build the input stage, the output stage and the wires between; return (select, sent) of each output."""
        params = self._params
        ports = params.ports
        # wants[o][i]: the VC selected by input i requests output o.
        wants = [[C(0)] * ports for _ in range(ports)]
        for i in range(ports):
            self._elaborate_input(m, i, choices[i], eligible[i], holders[i], wants)
        # taken[i]: output o grants input i, one bit for each output that the input can use.
        taken: list[list[Value]] = [[] for _ in range(ports)]
        outputs: list[tuple[Value, Value]] = []
        for o in range(ports):
            inputs = formats.inputs(params, o)
            requests = Cat(wants[o][i] for i in inputs)
            chooser = arbiter(params.arbiter, len(inputs))
            m.submodules[f"output_arbiter_{o}"] = chooser
            m.d.comb += chooser.requests.eq(requests)
            m.d.comb += chooser.advance.eq(1)
            outputs.append((chooser.winner, requests.any()))
            for number, i in enumerate(inputs):
                taken[i].append(chooser.grant[number])
        for i in range(ports):
            m.d.comb += self.granted[i].eq(Cat(self.drained[i], taken[i]).any())
        return outputs

    def _elaborate_input(
        self, m: Module, i: int, choice: Signal, eligible: Signal, holder: Signal, wants: list[list[Value]]
    ) -> None:
        """Select a VC of input i, and set wants[...][i]."""
        params = self._params
        vcs = params.vcs
        m.submodules[f"input_arbiter_{i}"] = chooser = arbiter(params.arbiter, vcs, prefer=params.hold_packets)
        m.d.comb += chooser.requests.eq(eligible)
        m.d.comb += choice.eq(chooser.grant)
        m.d.comb += chooser.advance.eq(self.granted[i])
        if params.hold_packets:
            # The VC that holds its output goes first. It was granted in the cycle before, so granting it again does not
            # change the arbiter's order.
            m.d.comb += chooser.preferred.eq(holder)
        m.d.comb += self.chosen_vc[i].eq(encode(list(choice), params.vc_bits))
        m.d.comb += self.drained[i].eq((choice & self.drain[i]).any())
        for o in formats.outputs(params, i):
            want = Signal(name=f"want_{i}_{o}")
            m.d.comb += want.eq(Cat(choice[vc] & self.want[i][vc][o] for vc in range(vcs)).any())
            wants[o][i] = barrier(m, f"want_{i}_{o}", want)

    def _elaborate_matching(
        self, m: Module, choices: list[Signal], eligible: list[Signal], holders: list[Signal]
    ) -> list[tuple[Value, Value]]:
        """Build the matching; return (select, sent) of each output."""
        params = self._params
        m.submodules.matching = matching = Matching(params)
        for i in range(params.ports):
            request: Value = eligible[i]
            if params.hold_packets:
                # An input port with a VC that holds an output requests nothing else, so it is granted nothing else.
                goes_on = (eligible[i] & holders[i]).any()
                request = eligible[i] & (holders[i] | (~goes_on).replicate(params.vcs))
            m.d.comb += matching.request[i].eq(request)
            m.d.comb += matching.drain[i].eq(self.drain[i])
            for vc in range(params.vcs):
                m.d.comb += matching.want[i][vc].eq(self.want[i][vc])
            m.d.comb += choices[i].eq(matching.choice[i])
            m.d.comb += self.chosen_vc[i].eq(matching.chosen_vc[i])
        m.d.comb += self.drained.eq(matching.drained)
        if not params.speculates:
            m.d.comb += self.granted.eq(matching.granted)
            return [(matching.winner[o], matching.sent[o]) for o in range(params.ports)]
        lost = Signal(params.ports)
        for i in range(params.ports):
            m.d.comb += matching.speculates[i].eq(self.speculates[i])
            m.d.comb += lost[i].eq((matching.choice[i] & self.misspeculated[i]).any())
        m.d.comb += self.granted.eq(matching.granted & ~lost)
        outputs: list[tuple[Value, Value]] = []
        for o, winner in enumerate(matching.winner):
            misspeculated = select_index(winner, [lost[i] for i in formats.inputs(params, o)])
            outputs.append((winner, matching.sent[o] & ~misspeculated))
        return outputs
