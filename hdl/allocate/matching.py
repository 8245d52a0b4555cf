"""Separable switch allocation, output first or ports first (iSLIP: Dally and Towles, 19.3; microarchitecture.md, 8)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.allocate.arbiter import arbiter
from hdl.allocate.speculation import foremost
from hdl.lib.logic import first_cyclic, select_hot, successor
from models.params import SwitchParams


class Matching(wiring.Component):
    """Matches input ports with output ports: at most one output per input port, and one input port per output.

    `allocator` = "output_first": each output grants one of the input ports that request it; each input port accepts one
    of its grants. "ports_first": each input port selects one of the outputs that it requests; each output grants one of
    the input ports that selected it.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    request, drain : In(vcs).array(ports)
        Per input port: VCs that may send a flit, held outputs taken into account; those whose flit is to be dropped.
    want : In(ports).array(ports, vcs)
        Per input VC: one-hot, the output it requests; 0 if its flit is to be dropped.
    speculates : In(vcs).array(ports)
        Only with speculation; per input port: VCs whose request is speculative.
    choice : Out(vcs).array(ports)
        Per input port: one-hot, the VC that is granted (it sends unless it misspeculates); 0 without a grant.
    chosen_vc : Out(vc_bits).array(ports)
        Per input port: number of that VC. Without a grant: 0 (output first), or the VC that would be granted (ports
        first).
    granted, drained : Out(ports), Out(ports)
        Per input port: a VC is granted; a VC is granted the drain port.
    winner : Out.array(ports)
        Per output port: the input port granted, numbered among `formats.inputs`; undefined without a request.
    sent : Out(ports)
        Per output port: the granted input port accepts, so a flit is sent.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        ports, vcs = params.ports, params.vcs
        members = {
            "request": In(vcs).array(ports),
            "drain": In(vcs).array(ports),
            "want": In(ports).array(ports, vcs),
            "choice": Out(vcs).array(ports),
            "chosen_vc": Out(params.vc_bits).array(ports),
            "granted": Out(ports),
            "drained": Out(ports),
            "winner": Out(formats.select_bits(params)).array(ports),
            "sent": Out(ports),
        }
        super().__init__(members | ({"speculates": In(vcs).array(ports)} if params.speculates else {}))

    def elaborate(self, platform: object) -> Module:
        """Build, per input port, requests and accepted output, and per output port, the granted input port."""
        m = Module()
        ports = range(self._params.ports)
        ports_first = self._params.allocator == "ports_first"
        # Row i, column o: input i requests output o, is granted it, takes it. Output number `ports` is the drain port.
        asks = [Signal(len(ports) + 1, name=f"asks_{i}") for i in ports]
        grants = [Signal(len(ports), name=f"grants_{i}") for i in ports]
        takes = [Signal(len(ports) + 1, name=f"takes_{i}") for i in ports]
        # Row i, column o: the request of input i for output o is not speculative.
        sure = [Signal(len(ports) + 1, name=f"sure_{i}") for i in ports]
        for i in ports:
            self._elaborate_input(m, i, asks[i], grants[i], takes[i], sure[i])
        for o in ports:
            inputs = formats.inputs(self._params, o)
            m.submodules[f"output_arbiter_{o}"] = chooser = arbiter(self._params.arbiter, len(inputs))
            requests = Cat((takes if ports_first else asks)[i][o] for i in inputs)
            m.d.comb += chooser.requests.eq(self._foremost(m, requests, [sure[i][o] for i in inputs], f"to_{o}"))
            m.d.comb += chooser.advance.eq(self.sent[o])
            m.d.comb += self.winner[o].eq(chooser.winner)
            for number, i in enumerate(inputs):
                m.d.comb += grants[i][o].eq(chooser.grant[number])
            m.d.comb += self.sent[o].eq(Cat(takes[i][o] for i in inputs).any())
        return m

    def _foremost(self, m: Module, requests: Value, sure: list[Value], name: str) -> Value:
        """Return the requests to choose among: with speculation = "behind", sure ones if there are any, else all."""
        return foremost(m, requests, requests & Cat(sure), name) if self._params.speculation == "behind" else requests

    def _elaborate_input(self, m: Module, i: int, asks: Signal, grants: Signal, takes: Signal, sure: Signal) -> None:
        """Build, for input i, the VC that would go to each output, and the output that the input takes."""
        params = self._params
        ports_first = params.allocator == "ports_first"
        drain_port = params.ports
        outputs = [*formats.outputs(params, i), drain_port]
        pointer = Signal(params.vc_bits, name=f"pointer_{i}")
        # In parallel with the arbiters: after their grant only a selection remains.
        firsts: list[Value] = []
        for o in outputs:
            wanting = Signal(params.vcs, name=f"wanting_{i}_{o}")
            wants = self.drain[i] if o == drain_port else Cat(want[o] for want in self.want[i])
            m.d.comb += wanting.eq(self.request[i] & wants)
            among: Value = wanting
            if params.speculates:
                owners = wanting & ~self.speculates[i]
                m.d.comb += sure[o].eq(owners.any())
                among = foremost(m, wanting, owners, f"among_{i}_{o}")
            found, first = first_cyclic(m, among, pointer, f"first_{i}_{o}")
            m.d.comb += asks[o].eq(found)
            firsts.append(first)

        granted = [asks[o] if o == drain_port else grants[o] for o in outputs]
        m.submodules[f"accept_arbiter_{i}"] = chooser = arbiter(params.arbiter, len(outputs))
        requests = Cat(asks[o] for o in outputs) if ports_first else Cat(granted)
        m.d.comb += chooser.requests.eq(self._foremost(m, requests, [sure[o] for o in outputs], f"from_{i}"))
        # Output first, every output the arbiter chooses is granted already; waiting for `granted` would cost 130 LUTs.
        m.d.comb += chooser.advance.eq(self.granted[i] if ports_first else 1)
        for number, o in enumerate(outputs):
            m.d.comb += takes[o].eq(chooser.grant[number])
        m.d.comb += self.drained[i].eq(takes[drain_port])
        m.d.comb += self.granted[i].eq(Cat(self.drained[i] if ports_first else granted[-1], granted[:-1]).any())
        m.d.comb += self.chosen_vc[i].eq(select_hot(list(chooser.grant), firsts))
        for vc in range(params.vcs):
            m.d.comb += self.choice[i][vc].eq(self.granted[i] & (self.chosen_vc[i] == vc))
        with m.If(self.granted[i]):
            m.d.sync += pointer.eq(successor(self.chosen_vc[i], params.vcs))
