"""Switch allocation, output first: an iteration of iSLIP (docs/microarchitecture.md, section 8)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.arbiter import arbiter
from hdl.logic import first_cyclic, select_hot, successor
from models.params import SwitchParams


class OutputFirst(wiring.Component):
    """Grants every output port to an input port that asks for it; every input port accepts one of what it is granted.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    request, drain : In(vcs).array(ports)
        Per input port: VCs that may leave, what is held considered; those of them that are to be dropped.
    want : In(ports).array(ports, vcs)
        Per input VC: one-hot, the output it wants; 0 if it is to be dropped.
    choice : Out(vcs).array(ports)
        Per input port: one-hot, the VC that leaves; 0 if none does.
    chosen_vc : Out(vc_bits).array(ports)
        Its number; 0 if none leaves.
    granted, drained : Out(ports), Out(ports)
        Per input port: a VC leaves; it leaves to nowhere.
    winner : Out.array(ports)
        Per output port: the input port that it is granted to, numbered among `formats.inputs`; anything if none asks.
    sent : Out(ports)
        Per output port: that one accepts it.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        ports, vcs = params.ports, params.vcs
        super().__init__(
            {
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
        )

    def elaborate(self, platform: object) -> Module:
        """Build what each input port asks for, what each output port grants, and what each input port accepts."""
        m = Module()
        ports = range(self._params.ports)
        # Row i, column o: input i asks for output o, is granted it, accepts it. Output number `ports` is nowhere.
        asks = [Signal(len(ports) + 1, name=f"asks_{i}") for i in ports]
        grants = [Signal(len(ports), name=f"grants_{i}") for i in ports]
        accepts = [Signal(len(ports) + 1, name=f"accepts_{i}") for i in ports]
        for i in ports:
            self._elaborate_input(m, i, asks[i], grants[i], accepts[i])
        for o in ports:
            inputs = formats.inputs(self._params, o)
            m.submodules[f"output_arbiter_{o}"] = chooser = arbiter(self._params.arbiter, len(inputs))
            m.d.comb += chooser.requests.eq(Cat(asks[i][o] for i in inputs))
            m.d.comb += chooser.advance.eq(self.sent[o])
            m.d.comb += self.winner[o].eq(chooser.winner)
            for number, i in enumerate(inputs):
                m.d.comb += grants[i][o].eq(chooser.grant[number])
            m.d.comb += self.sent[o].eq(Cat(accepts[i][o] for i in inputs).any())
        return m

    def _elaborate_input(self, m: Module, i: int, asks: Signal, grants: Signal, accepts: Signal) -> None:
        """Build which VC of input i would go to each output, and which of those that are granted it accepts."""
        params = self._params
        nowhere = params.ports
        outputs = [*formats.outputs(params, i), nowhere]
        pointer = Signal(params.vc_bits, name=f"pointer_{i}")
        # All at once, beside the arbiters of the outputs: what is left behind those is to select.
        firsts: list[Value] = []
        for o in outputs:
            wanting = Signal(params.vcs, name=f"wanting_{i}_{o}")
            wants = self.drain[i] if o == nowhere else Cat(want[o] for want in self.want[i])
            m.d.comb += wanting.eq(self.request[i] & wants)
            found, first = first_cyclic(m, wanting, pointer, f"first_{i}_{o}")
            m.d.comb += asks[o].eq(found)
            firsts.append(first)

        granted = [asks[o] if o == nowhere else grants[o] for o in outputs]
        m.submodules[f"accept_arbiter_{i}"] = chooser = arbiter(params.arbiter, len(outputs))
        m.d.comb += chooser.requests.eq(Cat(granted))
        m.d.comb += chooser.advance.eq(1)
        for number, o in enumerate(outputs):
            m.d.comb += accepts[o].eq(chooser.grant[number])
        m.d.comb += self.granted[i].eq(Cat(granted).any())
        m.d.comb += self.drained[i].eq(accepts[nowhere])
        m.d.comb += self.chosen_vc[i].eq(select_hot(list(chooser.grant), firsts))
        for vc in range(params.vcs):
            m.d.comb += self.choice[i][vc].eq(self.granted[i] & (self.chosen_vc[i] == vc))
        with m.If(self.granted[i]):
            m.d.sync += pointer.eq(successor(self.chosen_vc[i], params.vcs))
