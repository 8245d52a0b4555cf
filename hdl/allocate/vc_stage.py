"""VC stage: VC allocation as a stage of its own, before switch allocation (microarchitecture.md, section 13)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.allocate.arbiter import RoundRobinArbiter
from hdl.lib.logic import balanced_or, first_cyclic, one_hot, successor
from models.params import SwitchParams


class VcStage(wiring.Component):
    """Gives heads output VCs, in one cycle.

    Output first, output VCs offer themselves, and heads accept one offer; input first, heads choose one of the VCs that
    they ask for, and output VCs one of the heads that chose them.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    ask : In(vcs).array(ports, vcs)
        Per input VC: the VCs that its head asks for; 0 if it does not ask.
    want : In(ports).array(ports, vcs)
        Per input VC: one-hot, the output they belong to.
    claims : Out(vcs).array(ports)
        Per input port: VCs whose head gets an output VC.
    claimed_vc : Out(vc_bits).array(ports, vcs)
        Per input VC: its number; anything if it gets none.
    taken : Out(vcs).array(ports)
        Per output port: VCs that a head gets.
    asked : Out(ports)
        Only with prediction. Per output port: a head asks for a VC of it.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        ports, vcs = params.ports, params.vcs
        members = {
            "ask": In(vcs).array(ports, vcs),
            "want": In(ports).array(ports, vcs),
            "claims": Out(vcs).array(ports),
            "claimed_vc": Out(params.vc_bits).array(ports, vcs),
            "taken": Out(vcs).array(ports),
        }
        super().__init__(members | ({"asked": Out(ports)} if params.prediction else {}))

    def elaborate(self, platform: object) -> Module:
        """Build an arbiter an output VC, and a search an input VC, in the order of `vc_allocator`."""
        m = Module()
        params = self._params
        ports, vcs = range(params.ports), range(params.vcs)
        input_first = params.vc_allocator == "input_first"
        # grants[i][v][w]: output VC w of any port chooses input VC (i, v); there is one that it wants.
        grants: list[list[list[list[Value]]]] = [[[[] for _ in vcs] for _ in vcs] for _ in ports]
        chosen = [[Signal(params.vcs, name=f"chosen_{i}_{v}") for v in vcs] for i in ports]
        for o in ports:
            heads = [(i, v) for i in formats.inputs(params, o) for v in vcs]
            for w in vcs:
                m.submodules[f"offer_{o}_{w}"] = chooser = RoundRobinArbiter(len(heads))
                requests = [self.want[i][v][o] & self.ask[i][v][w] for i, v in heads]
                if input_first:
                    requests = [each & chosen[i][v][w] for each, (i, v) in zip(requests, heads, strict=True)]
                m.d.comb += chooser.requests.eq(Cat(requests))
                taken = Cat(chooser.grant[number] & chosen[i][v][w] for number, (i, v) in enumerate(heads))
                m.d.comb += self.taken[o][w].eq((chooser.requests if input_first else taken).any())
                m.d.comb += chooser.advance.eq(self.taken[o][w])
                for number, (i, v) in enumerate(heads):
                    grants[i][v][w].append(chooser.grant[number])
            if params.prediction:
                asks = [self.want[i][v][o] & self.ask[i][v].any() for i, v in heads]
                m.d.comb += self.asked[o].eq(Cat(asks).any())
        for i in ports:
            for v in vcs:
                granted = Signal(params.vcs, name=f"granted_{i}_{v}")
                m.d.comb += granted.eq(Cat(balanced_or(of_vc) for of_vc in grants[i][v]))
                m.d.comb += self.claims[i][v].eq(granted.any())
                self._choose(m, i, v, self.ask[i][v] if input_first else granted, chosen[i][v])
        return m

    def _choose(self, m: Module, i: int, v: int, vcs: Value, chosen: Signal) -> None:
        """Choose (one-hot) of VCs the one after that taken last, if that was of the same output, else the first."""
        params = self._params
        last = Signal(params.ports, name=f"last_{i}_{v}")
        after = Signal(params.vc_bits, name=f"after_{i}_{v}")
        begin = Signal(params.vc_bits, name=f"begin_{i}_{v}")
        m.d.comb += begin.eq(Mux((last & self.want[i][v]).any(), after, C(0, params.vc_bits)))
        _, number = first_cyclic(m, vcs, begin, f"choose_{i}_{v}")
        m.d.comb += self.claimed_vc[i][v].eq(number)
        m.d.comb += chosen.eq(one_hot(self.claimed_vc[i][v], params.vcs))
        with m.If(self.claims[i][v]):
            m.d.sync += last.eq(self.want[i][v])
            m.d.sync += after.eq(successor(self.claimed_vc[i][v], params.vcs))
