"""Delay line: of links, of the route table's latency and of the stage delay.

No model of its own: the models of its users (`models/transfer/link.py`, `models/route/route_table.py` for both tables,
`models/transfer/output_buffer.py`) count the cycles.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import successor
from models.params import index_width

# Up to this delay in cycles the payload passes through registers; above, through a memory.
_REGISTERS = 3


class DelayLine(wiring.Component):
    """Repeats its input `cycles` cycles later. Reset clears the payloads in flight.

    Parameters
    ----------
    shape : data.Layout
        Layout of the payload.
    cycles : int
        Delay in cycles; 0 is wires.

    Ports
    -----
    source : In(ValidSignature(shape))
    sink : Out(ValidSignature(shape))
    """

    def __init__(self, shape: data.Layout, cycles: int) -> None:
        if cycles < 0:
            raise ValueError(f"cycles = {cycles}: must be at least 0")
        self._shape = shape
        self._cycles = cycles
        signature = formats.ValidSignature(shape)
        super().__init__({"source": In(signature), "sink": Out(signature)})

    def elaborate(self, platform: object) -> Module:
        """Build a shift register of valid bits and, for the payload, registers or a circular memory."""
        m = Module()
        cycles = self._cycles
        if cycles == 0:
            m.d.comb += self.sink.valid.eq(self.source.valid)
            m.d.comb += self.sink.payload.eq(self.source.payload)
            return m

        valid = Signal(cycles)
        m.d.sync += valid.eq((valid << 1) | self.source.valid)
        m.d.comb += self.sink.valid.eq(valid[-1])
        if cycles <= _REGISTERS:
            payload = self.source.payload
            for k in range(cycles):
                stage = Signal(self._shape, name=f"payload_{k}", reset_less=True)
                m.d.sync += stage.eq(payload)
                payload = stage
            m.d.comb += self.sink.payload.eq(payload)
            return m

        # A word written at the end of cycle t is overwritten, and read for the last time, at the end of t + words. The
        # read takes one cycle more.
        words = cycles - 1
        m.submodules.payloads = payloads = memory.Memory(shape=self._shape, depth=words, init=[])
        write, read = payloads.write_port(), payloads.read_port()
        position = Signal(index_width(words))
        m.d.sync += position.eq(successor(position, words))
        m.d.comb += write.en.eq(1)
        m.d.comb += write.addr.eq(position)
        m.d.comb += write.data.eq(self.source.payload)
        m.d.comb += read.addr.eq(position)
        m.d.comb += self.sink.payload.eq(read.data)
        return m
