"""Switch allocation as a matching of input ports with outputs (microarchitecture.md, section 8)."""

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
    """Gives every output port to at most one input port, and every input port at most one output port.

    Output first, outputs are granted to input ports that ask for them, which accept one of those; ports first, input
    ports choose one of the outputs they ask for, which are granted to one of those that chose them.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    request, drain : In(vcs).array(ports)
        Per input port: VCs that may leave, what is held considered; those of them that are to be dropped.
    want : In(ports).array(ports, vcs)
        Per input VC: one-hot, the output it wants; 0 if it is to be dropped.
    speculates : In(vcs).array(ports)
        Only with speculation; per input port: requests that are not sure.
    choice : Out(vcs).array(ports)
        Per input port: one-hot, the VC that is matched, and leaves unless it misspeculates; 0 if none is.
    chosen_vc : Out(vc_bits).array(ports)
        Its number; if none is, output first 0, ports first that of the VC that would be.
    granted, drained : Out(ports), Out(ports)
        Per input port: a VC is matched; with the drain port.
    winner : Out.array(ports)
        Per output port: the input port that it is granted to, numbered among `formats.inputs`; anything if none asks.
    sent : Out(ports)
        Per output port: that one accepts it.
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
        """Build what each input port asks for and chooses, and what each output port grants."""
        m = Module()
        ports = range(self._params.ports)
        ports_first = self._params.allocator == "ports_first"
        # Row i, column o: input i asks for output o, is granted it, takes it. Output number `ports` is the drain port.
        asks = [Signal(len(ports) + 1, name=f"asks_{i}") for i in ports]
        grants = [Signal(len(ports), name=f"grants_{i}") for i in ports]
        takes = [Signal(len(ports) + 1, name=f"takes_{i}") for i in ports]
        # Row i, column o: what input i would send to output o is sure to leave.
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
        """Return the requests among which to choose: if heads speculate behind others, the others."""
        return foremost(m, requests, requests & Cat(sure), name) if self._params.speculation == "behind" else requests

    def _elaborate_input(self, m: Module, i: int, asks: Signal, grants: Signal, takes: Signal, sure: Signal) -> None:
        """Build which VC of input i would go to each output, and which output it takes."""
        params = self._params
        ports_first = params.allocator == "ports_first"
        drain_port = params.ports
        outputs = [*formats.outputs(params, i), drain_port]
        pointer = Signal(params.vc_bits, name=f"pointer_{i}")
        # All at once, beside the arbiters: what is left behind those is to select.
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
        # Output first what it chooses is granted already: to ask again would cost 130 LUTs.
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
