"""Predictors of the output port: static, latest, history (Koibuchi et al.: paper C; microarchitecture.md, 11)."""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import encode, one_hot
from models.params import SwitchParams


class Predictor(wiring.Component):
    """Predicts an output port before a header arrives.

    Parameters
    ----------
    params : SwitchParams
        With `prediction`.
    port : int
        Number of the input port.

    Ports
    -----
    update : In(1)
        A packet of this port gets a route that is not `drop`.
    want : In(ports)
        One-hot, the output of that route.
    named : Out(ports)
        One-hot, the predicted output; 0 while not known. From registers.
    """

    def __init__(self, params: SwitchParams, port: int) -> None:
        if params.prediction is None:
            raise ValueError("prediction is not set: Predictor needs it")
        self._params = params
        self._kind = params.prediction.kind
        self._port = port
        super().__init__({"update": In(1), "want": In(params.ports), "named": Out(params.ports)})

    def elaborate(self, platform: object) -> Module:
        """Build the predictor of `prediction.kind`."""
        m = Module()
        match self._kind:
            case "static":
                m.d.comb += self.named.eq(1 << (self._port ^ 1) if self._port < self._params.straight_ports else 0)
            case "latest":
                with m.If(self.update):
                    m.d.sync += self.named.eq(self.want)
            case "history":
                self._elaborate_history(m)
        return m

    def _elaborate_history(self, m: Module) -> None:
        """Build the history table: `known` bits in registers, as they are reset; output ports in a memory."""
        bits = self._params.port_bits
        entries = 1 << self._params.context_bits
        context = Signal(self._params.context_bits)
        known = Signal(entries)
        out = Signal(bits)
        m.submodules.outs = outs = memory.Memory(shape=bits, depth=entries, init=[])
        write, read = outs.write_port(), outs.read_port(domain="comb")
        m.d.comb += out.eq(encode(list(self.want), bits))
        m.d.comb += write.en.eq(self.update)
        m.d.comb += write.addr.eq(context)
        m.d.comb += write.data.eq(out)
        m.d.comb += read.addr.eq(context)
        with m.If(self.update):
            m.d.sync += known.bit_select(context, 1).eq(1)
            m.d.sync += context.eq(Cat(out, context)[: len(context)])
        known_here = Array(known)[context]
        m.d.comb += self.named.eq(one_hot(read.data, self._params.ports) & known_here.replicate(self._params.ports))
