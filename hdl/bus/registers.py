"""Registers of a switch behind AXI4-Lite, as the table in `models/register_map.py` lists them.

Behaviour without a cycle-exact model: which register is where, and what a write does, is said by that table, against
which the bench reads and writes.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from hdl.bus.axi_lite import AxiLiteSignature
from hdl.bus.axi_lite_port import AxiLitePort
from hdl.bus.drop_watch import WATCHED_BITS, DropWatch
from hdl.interface import switch_ports
from models.formats import Counter
from models.params import SwitchParams
from models.register_map import (
    ADDRESS_BITS,
    LPI_TIMES,
    ROW,
    STREAM_COUNT_BITS,
    WORD,
    WORD_BYTES,
    Access,
    Register,
    RegisterField,
    Window,
    register_map,
    stream_counters,
)

CONTROL = ("position", "flush", "flushing", "program", "lpi_hint", "lpi_time", "counter")
"""Ports of a switch that registers drive and read."""

_COLUMN_BITS = ROW.bit_length() - 1


def register_members(params: SwitchParams, *, table: bool, streams: int) -> dict[str, Member]:
    """Return the ports of `Registers` by name."""
    of_switch = switch_ports(params, table=table)
    members = {name: of_switch[name].member.flip() for name in CONTROL if name in of_switch}
    members["s_axil"] = In(AxiLiteSignature(ADDRESS_BITS))
    registers = register_map(params, table=table, streams=streams)
    if registers.find("interrupt_status"):
        members["irq"] = Out(1)
    if streams:
        members["stream_error"] = In(streams)
        members |= {name: In(STREAM_COUNT_BITS).array(streams) for name in stream_counters(params)}
    return members


class Registers(wiring.Component):
    """The registers, and what they do to the switch.

    Parameters
    ----------
    params : SwitchParams
    table : bool
        Whether the table that replaces the CAM is programmed through registers.
    streams : int
        Number of AXI4-Streams into the switch.

    Ports
    -----
    s_axil : In(AxiLiteSignature(ADDRESS_BITS))
        Accesses to addresses without a register are refused (SLVERR), as are writes to registers that are only read,
        and reads of those that are only written. All bytes can be written alone.
    irq : Out(1)
        Register: a cause that is enabled is there. Absent without counters and streams, which are its causes.
    stream_error : In(streams)
        With streams: bit i is 1 in a cycle in which an error of stream i was counted.
    partial_words, long_packets : In(32).array(streams)
        With streams, the latter with `max_packet` only: counters of their errors.
    others
        The ports of a switch in `CONTROL`, as seen from the other side.

    Attributes
    ----------
    register_map : RegisterMap
        The registers.
    """

    def __init__(self, params: SwitchParams, *, table: bool = True, streams: int = 0) -> None:
        self._params = params
        self.register_map = register_map(params, table=table, streams=streams)
        self._stored: dict[tuple[str, str], Signal] = {}
        self._streams = streams
        super().__init__(register_members(params, table=table, streams=streams))

    def elaborate(self, platform: object) -> Module:
        """Build what each field stores, the effect on the switch, and the read multiplexer."""
        m = Module()
        m.submodules.port = port = AxiLitePort(ADDRESS_BITS)
        wiring.connect(m, wiring.flipped(self.s_axil), port.bus)
        state = self._elaborate_state(m, port)
        written: dict[str, Value] = {}
        m.d.comb += port.write_refused.eq(1)
        for register in self.register_map.registers:
            if register.writable:
                hit = Signal(name=f"writes_{register.name}")
                here = port.write_word == register.address // WORD_BYTES
                m.d.comb += hit.eq(port.writes & here)
                with m.If(here):
                    m.d.comb += port.write_refused.eq(0)
                written[register.name] = hit
            for field in register.fields:
                self._elaborate_field(m, port, written.get(register.name, C(0)), register, field, state)
        self._drive_switch(m, written)
        self._elaborate_interrupt(m, state)
        self._elaborate_reads(m, port, state)
        return m

    def _elaborate_state(self, m: Module, port: AxiLitePort) -> dict[str, Value]:
        """Build what watches the hardware; return its state, by the quantity that a field carries."""
        state: dict[str, Value] = {}
        if self._params.has_cache:
            state["flushing"] = self.flushing
        if self._params.counter_width:
            m.submodules.drop_watch = watch = DropWatch(self._params)
            m.d.comb += [watch.free.eq(~port.looks), watch.data.eq(self.counter.data[:WATCHED_BITS])]
            with m.If(port.looks):
                m.d.comb += self.counter.port.eq(port.read_word[:_COLUMN_BITS])
                m.d.comb += self.counter.number.eq(port.read_word[_COLUMN_BITS:])
            with m.Else():
                m.d.comb += [self.counter.port.eq(watch.port), self.counter.number.eq(Counter.FLITS_DROPPED)]
            state["dropped"] = watch.dropped
        if self._streams:
            state["stream_error"] = self.stream_error
        if self.register_map.find("counter_high"):
            high = Signal(self._params.counter_width - WORD)
            window = next(window for window in self.register_map.windows if window.name == "counters")
            with m.If(port.answers & self._lies_in(window, port)):
                m.d.sync += high.eq(self.counter.data[WORD:])
            state["counter_high"] = high
        return state

    def _elaborate_field(
        self,
        m: Module,
        port: AxiLitePort,
        written: Value,
        register: Register,
        field: RegisterField,
        state: dict[str, Value],
    ) -> None:
        """Build what a field stores: a value, bits that the hardware sets, or a command that lasts for one cycle."""
        if not field.access.writable:
            return
        value = Signal(field.width, name=f"{register.name}_{field.name}", init=field.reset or 0)
        self._stored[register.name, field.name] = value
        high = field.low + field.width
        data, mask = port.write_data[field.low : high], port.write_mask[field.low : high]
        if field.access is Access.STORED:
            with m.If(written):
                m.d.sync += value.eq((value & ~mask) | (data & mask))
        elif field.access is Access.STICKY:
            happens = state[field.carries][field.part : field.part + field.width]
            m.d.sync += value.eq((value & ~Mux(written, data & mask, 0)) | happens)
        else:
            m.d.sync += value.eq(Mux(written, data & mask, 0))

    def _quantity(self, name: str) -> Value:
        """Return the value of a quantity, from the fields that carry its bits."""
        return Cat(self._stored[register.name, field.name] for register, field in self.register_map.carriers(name))

    def _drive_switch(self, m: Module, written: dict[str, Value]) -> None:
        """Connect what is stored to the ports of the switch."""
        members = self.signature.members
        if "flush" in members:
            m.d.comb += self.flush.eq(self._quantity("flush"))
        if "position" in members:
            fields = [field for register in self.register_map.registers for field in register.fields]
            names = dict.fromkeys(field.carries for field in fields if field.carries.startswith("position."))
            m.d.comb += self.position.eq(Cat(self._quantity(name) for name in names))
        if "program" in members:
            m.d.comb += self.program.valid.eq(self._quantity("program"))
            for name in self.program.payload.shape().members:
                m.d.comb += self.program.payload[name].eq(self._quantity(f"program.{name}"))
        if "lpi_time" in members:
            m.d.comb += self.lpi_hint.eq(self._quantity("lpi_hint"))
            m.d.sync += self.lpi_time.valid.eq(Cat(written[name] for name in LPI_TIMES).any())
            number = Signal.like(self.lpi_time.payload.number)
            m.d.comb += self.lpi_time.payload.number.eq(number)
            for each, name in enumerate(LPI_TIMES):
                with m.If(written[name]):
                    m.d.sync += number.eq(each)
                with m.If(number == each):
                    m.d.comb += self.lpi_time.payload.cycles.eq(self._quantity(name))

    def _elaborate_interrupt(self, m: Module, state: dict[str, Value]) -> None:
        """Build the causes of the interrupt, and the interrupt."""
        if "irq" not in self.signature.members:
            return
        causes = [
            name for name in ("dropped", "stream_error") if self.register_map.carriers(f"interrupt_status.{name}")
        ]
        for name in causes:
            state[f"interrupt_status.{name}"] = self._quantity(name).any()
        enabled = [state[f"interrupt_status.{name}"] & self._quantity(f"interrupt_enable.{name}") for name in causes]
        m.d.sync += self.irq.eq(Cat(enabled).any())

    def _elaborate_reads(self, m: Module, port: AxiLitePort, state: dict[str, Value]) -> None:
        """Build the read multiplexer, for the second cycle of a read."""
        m.d.comb += port.read_refused.eq(1)
        with m.Switch(port.read_word):
            for register in self.register_map.registers:
                if not register.readable:
                    continue
                with m.Case(register.address // WORD_BYTES):
                    m.d.comb += port.read_refused.eq(0)
                    for field in register.fields:
                        value = self._value(register, field, state)
                        m.d.comb += port.read_data[field.low : field.low + field.width].eq(value)
        values = {"counters": self._counter_word(), "streams": self._stream_word(port)}
        for window in self.register_map.windows:
            with m.If(self._lies_in(window, port)):
                m.d.comb += [port.read_refused.eq(0), port.read_data.eq(values[window.name])]

    @staticmethod
    def _lies_in(window: Window, port: AxiLitePort) -> Value:
        """Return whether the word that is read is a register of a window."""
        within = window.words.bit_length() - 1
        column, row = port.read_word[:_COLUMN_BITS], port.read_word[_COLUMN_BITS:within]
        here = port.read_word[within:] == window.address // WORD_BYTES >> within
        return here & (row < len(window.registers)) & (column < window.registers[0].count)

    def _counter_word(self) -> Value:
        """Return the low bits of the counter that the first cycle of a read addressed."""
        return self.counter.data[:WORD] if self._params.counter_width else C(0)

    def _stream_word(self, port: AxiLitePort) -> Value:
        """Return the counter of a stream that is read."""
        words: list[Value] = [C(0)]
        for row, name in enumerate(stream_counters(self._params) if self._streams else ()):
            here = port.read_word[_COLUMN_BITS] == row
            words.append(Mux(here, Array(getattr(self, name))[port.read_word[:_COLUMN_BITS]], 0))
        return reduce(or_, words)

    def _value(self, register: Register, field: RegisterField, state: dict[str, Value]) -> Value:
        """Return what a read of a field gives."""
        if field.access is Access.CONSTANT:
            return C(field.reset or 0, field.width)
        if field.access is Access.STATUS:
            return state[field.carries]
        return self._stored[register.name, field.name] if field.access.readable else C(0, field.width)
