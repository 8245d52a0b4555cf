"""Bypass to one output port: owner, connection, conditions (Koibuchi et al.: paper C; microarchitecture.md, 11)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import encode, one_hot, select_index
from models.params import SwitchParams


class Bypass(wiring.Component):
    """Presets an output port without requests for one input port, and tells which flit bypasses to it in a cycle.

    Parameters
    ----------
    params : SwitchParams
        With `prediction`.

    Ports
    -----
    named : In
        Input ports whose predictors name this output; here and below numbered as in `formats.inputs`.
    arrives : In(vcs).array
        Per input port: VC of the flit on its link, one-hot; 0 without a flit or if the port has buffered flits.
    head : In
        Per input port: that flit is a head.
    right : In
        Only with computed routes; per input port: the head's route leads to the predicted output.
    available, has_credit : In(vcs), In(vcs)
        VCs of this output that a head may claim; that a body flit may use.
    requested : In(1)
        An input VC has a request for this output.
    sent, select, flit_vc, tail : In(1), In, In(vc_bits), In(1)
        A flit is sent through this output; its input port, its output VC, whether it is a tail.
    input_vcs : In(vc_bits).array
        Per input port: the input VC of the flit that it sends.
    confirmed, confirmed_vc, confirmed_tail : In(1), In(vc_bits), In(1)
        Only with cached routes: the flit sent speculatively in the cycle before was right; its VC, whether it is a
        tail.
    owner : Out
        Input port for which this output is preset; undefined if there is none. From registers.
    meets : Out
        One-hot, an input port whose head meets all conditions of the bypass.
    passes : Out
        One-hot, an input port whose flit is sent now; not one whose head is sent speculatively.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        count = len(formats.inputs(params, 0))
        self._count = count
        members = {
            "named": In(count),
            "arrives": In(params.vcs).array(count),
            "head": In(count),
            "available": In(params.vcs),
            "has_credit": In(params.vcs),
            "requested": In(1),
            "sent": In(1),
            "select": In(formats.select_bits(params)),
            "flit_vc": In(params.vc_bits),
            "tail": In(1),
            "input_vcs": In(params.vc_bits).array(count),
            "owner": Out(formats.select_bits(params)),
            "meets": Out(count),
            "passes": Out(count),
        }
        if params.has_cache:
            members |= {"confirmed": In(1), "confirmed_vc": In(params.vc_bits), "confirmed_tail": In(1)}
        else:
            members |= {"right": In(count)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the connection register, the owner and the conditions."""
        m = Module()
        connected = Signal()
        source = Signal(formats.select_bits(self._params), reset_less=not self._params.predicts_local)
        input_vc = Signal(self._params.vc_bits, reset_less=True)
        output_vc = Signal(self._params.vc_bits, reset_less=True)
        self._elaborate_connection(m, connected, source, input_vc, output_vc)

        first = Signal(self._count)
        lowest = Cat(name & ~self.named[:i].any() for i, name in enumerate(self.named))
        if self._params.predicts_local:
            # Port 1 names output 0 at all times; a local port that names it, too, is its owner once it has used it.
            latest = one_hot(source, self._count)
            lowest = Mux((latest & self.named).any(), latest, lowest)
        m.d.comb += first.eq(lowest)
        m.d.comb += self.owner.eq(Mux(connected, source, encode(list(first), len(source))))
        for i in range(self._count):
            continues = Signal(name=f"continues_{i}")
            begins = Signal(name=f"begins_{i}")
            # A connection ends with its packet: a flit on its VC is a body flit of that packet.
            m.d.comb += continues.eq(connected & (source == i) & self._at(input_vc, self.arrives[i]))
            m.d.comb += begins.eq(~connected & first[i] & self.head[i] & (self.arrives[i] & self.available).any())
            m.d.comb += self.meets[i].eq(begins & ~self.requested)
            goes_on = continues & self._at(output_vc, self.has_credit)
            if not self._params.has_cache:
                goes_on |= begins & self.right[i]
            m.d.comb += self.passes[i].eq(goes_on & ~self.requested)
        return m

    def _elaborate_connection(
        self, m: Module, connected: Signal, source: Signal, input_vc: Signal, output_vc: Signal
    ) -> None:
        """Build the connection: it follows flits that are sent and, in cycles without, a head that was confirmed."""
        if self._params.has_cache:
            speculative_source = Signal.like(source)
            m.d.sync += speculative_source.eq(self.select)
            with m.If(self.confirmed & ~self.confirmed_tail):
                m.d.sync += connected.eq(1)
                m.d.sync += source.eq(speculative_source)
                # A head is sent speculatively only on the output VC with the number of its input VC.
                m.d.sync += input_vc.eq(self.confirmed_vc)
                m.d.sync += output_vc.eq(self.confirmed_vc)
        with m.If(self.sent):
            m.d.sync += connected.eq(~self.tail)
            m.d.sync += source.eq(self.select)
            m.d.sync += input_vc.eq(select_index(self.select, list(self.input_vcs)))
            m.d.sync += output_vc.eq(self.flit_vc)

    def _at(self, vc: Value, bits: Value) -> Value:
        return select_index(vc, list(bits))
