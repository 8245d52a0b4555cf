"""Predictors of the output port: static, latest, history (Koibuchi et al.: paper C; microarchitecture.md, 11)."""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Module, Mux, Signal, ValueLike
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
    position : In
        Only at a local port that names the longer side of a row: coordinates of the switch, as in `Switch`.
    named : Out(ports)
        One-hot, the predicted output; 0 while not known. From registers.
    """

    def __init__(self, params: SwitchParams, port: int) -> None:
        if params.prediction is None:
            raise ValueError("prediction is not set: Predictor needs it")
        self._params = params
        self._kind = params.prediction.kind
        self._port = port
        members = {"update": In(1), "want": In(params.ports), "named": Out(params.ports)}
        self.reads_position = params.static_local == "longer_x" and port >= params.first_predicted_local
        if self.reads_position:
            members["position"] = In(sum(params.position_bits))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the predictor of `prediction.kind`."""
        m = Module()
        match self._kind:
            case "static":
                m.d.comb += self.named.eq(self._static())
            case "latest":
                with m.If(self.update):
                    m.d.sync += self.named.eq(self.want)
            case "history":
                self._elaborate_history(m)
        return m

    def _static(self) -> ValueLike:
        """Return the output that never changes, one-hot; 0: none."""
        params, port = self._params, self._port
        if port < params.straight_ports:
            return 1 << (port ^ 1)
        if self.reads_position:
            # Of k switches in the row, k − 1 − x lie in +, port 0, and x in −, port 1.
            x = self.position[: params.position_bits[0]]
            return Mux(x <= (params.radix[0] - 1) // 2, 0b01, 0b10)
        return 1 if params.predicts_local and port >= params.first_predicted_local else 0

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
