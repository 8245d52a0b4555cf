"""VC allocation as a pipeline stage of its own, before switch allocation (iSLIP; microarchitecture.md, section 13)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.allocate.arbiter import RoundRobinArbiter
from hdl.lib.logic import balanced_or, first_cyclic, one_hot, successor
from models.params import SwitchParams


class VcStage(wiring.Component):
    """Allocates output VCs to heads, in one cycle.

    `vc_allocator` = "output_first": each output VC grants one of the heads that request it, and each head accepts one
    grant. "input_first": each head selects one of the VCs that it requests, and each output VC grants one of the heads
    that selected it.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    ask : In(vcs).array(ports, vcs)
        Per input VC: output VCs that its head requests; 0 without a request.
    want : In(ports).array(ports, vcs)
        Per input VC: one-hot, the output port of those VCs.
    claims : Out(vcs).array(ports)
        Per input port: VCs whose head is allocated an output VC.
    claimed_vc : Out(vc_bits).array(ports, vcs)
        Per input VC: number of that output VC; undefined without one.
    taken : Out(vcs).array(ports)
        Per output port: VCs that are allocated to a head.
    asked : Out(ports)
        Only with prediction; per output port: a head requests one of its VCs.
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
        """Build one arbiter per output VC and one search per input VC, in the order that `vc_allocator` says."""
        m = Module()
        params = self._params
        ports, vcs = range(params.ports), range(params.vcs)
        input_first = params.vc_allocator == "input_first"
        # grants[i][v][w]: output VC w grants input VC (i, v), one bit for each output port.
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
        """Select one of `vcs`, one-hot: the first behind the last one of the same output, else the first."""
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
