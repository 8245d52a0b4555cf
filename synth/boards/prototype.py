"""Prototype: a network with a node at each local port, behind the registers of a host port on a UART."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.hdl import Array, Cat, ClockDomain, ClockSignal, DomainRenamer, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from hdl import formats
from hdl.formats import ValidSignature
from hdl.network import Network, Wiring
from models.params import LinkParams, SwitchParams
from synth.boards import memory_map as where
from synth.boards.host_frame import SILENCE_BITS
from synth.boards.host_port import ADDRESS_BITS, WORD_BITS, HostPort
from synth.boards.node import Node
from synth.boards.run_clock import RunClock
from synth.boards.uart import UartReceiver, UartTransmitter

READ_LATENCY = 4
NETWORK = "network"
"""Clock domain of network and nodes: the clock of `sync`, with a reset of the host's."""


@dataclass(frozen=True)
class Design:
    """What a prototype is made of.

    Attributes
    ----------
    switch, link, wires
        The network; a node per local port.
    tags : sequence of int
        Destination tag of each node.
    fixed : sequence of int or None
        Under a permutation, the node to which each node sends; None: drawn.
    packet_size : int
        Flits of a packet.
    digest : int
        CRC-32 of the configuration, by which the host recognises the design.
    """

    switch: SwitchParams
    link: LinkParams
    wires: Wiring
    tags: Sequence[int]
    fixed: Sequence[int] | None
    packet_size: int
    digest: int


class Prototype(wiring.Component):
    """The network, its nodes, and the host's access to both.

    Parameters
    ----------
    design : Design
    divisor : int
        Cycles per bit of the UART.

    Ports
    -----
    rx, tx : In(1), Out(1)
        The UART.
    injected, ejected : Out(ValidSignature(flit)) [nodes]
        Flits of the nodes into and out of the network; for simulation.
    now : Out(32)
        Cycles since the network's reset ended; for simulation.
    resting : Out(1)
        The network is in reset; for simulation.
    """

    def __init__(self, design: Design, divisor: int) -> None:
        self._design = design
        self._divisor = divisor
        nodes = len(design.tags)
        flit = ValidSignature(formats.flit(design.switch))
        super().__init__(
            {
                "rx": In(1, init=1),
                "tx": Out(1, init=1),
                "injected": Out(flit).array(nodes),
                "ejected": Out(flit).array(nodes),
                "now": Out(32),
                "resting": Out(1, init=1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join host port, control words, network and nodes."""
        m = Module()
        port = self._host_port(m)
        m.domains += ClockDomain(NETWORK, local=True)
        m.submodules.clock = clock = RunClock()
        m.d.comb += [ClockSignal(NETWORK).eq(ClockSignal()), ResetSignal(NETWORK).eq(clock.reset)]
        m.d.comb += [self.resting.eq(clock.reset), self.now.eq(clock.now)]
        # A stage of registers lies between the host port and everything that it reads.
        address = Signal(ADDRESS_BITS)
        m.d.sync += address.eq(port.address)
        control = _Control(m, port)
        m.d.comb += [clock.hold.eq(control.hold), clock.stop.eq(control.stop)]
        network = self._network(m, port, address)
        read = {
            where.Region.CONTROL: control.read(m, address, self._design.digest, clock.now),
            where.Region.NODE: self._nodes(m, network, control, clock, address),
        }
        if self._design.switch.counter_width:
            read[where.Region.COUNTER] = self._counters(m, network, port, address)
        region = address[where.REGION_SHIFT :]
        with m.Switch(region):
            for number, value in read.items():
                with m.Case(number):
                    m.d.sync += port.read_data.eq(value)
            with m.Default():
                m.d.sync += port.read_data.eq(0)
        return m

    def _host_port(self, m: Module) -> HostPort:
        """Build the host port and its UART."""
        m.submodules.receiver = receiver = UartReceiver(self._divisor)
        m.submodules.transmitter = transmitter = UartTransmitter(self._divisor)
        m.submodules.host_port = port = HostPort(READ_LATENCY, SILENCE_BITS * self._divisor)
        connect(m, receiver.received, port.received)
        connect(m, port.sent, transmitter.data)
        m.d.comb += [receiver.rx.eq(self.rx), self.tx.eq(transmitter.tx)]
        return port

    def _network(self, m: Module, port: HostPort, address: Signal) -> Network:
        """Build the network, its tables programmed by the host."""
        params = self._design.switch
        counters = params.counter_width > 0
        network = Network(params, self._design.link, self._design.wires, counters=counters)
        m.submodules.network = DomainRenamer(NETWORK)(network)
        if params.has_cache:
            m.d.comb += network.flush.eq(0)
        if params.programmed:
            words = where.program_words(params)
            entry = Signal(words * WORD_BITS)
            written = port.write & (port.address[where.REGION_SHIFT :] == where.Region.PROGRAM)
            place = port.address[: words.bit_length()]
            m.d.sync += network.program.valid.eq(0)
            with m.If(written):
                with m.If(place == words):
                    m.d.sync += network.program.valid.eq(1)
                    m.d.sync += network.program_switch.eq(port.write_data)
                with m.Else():
                    m.d.sync += entry.word_select(place, WORD_BITS).eq(port.write_data)
            m.d.comb += network.program.payload.eq(entry)
        if counters:
            m.d.comb += network.counter_port.eq(address[where.PORT_SHIFT : where.SWITCH_SHIFT])
            m.d.comb += network.counter_number.eq(address[1 : where.PORT_SHIFT])
        return network

    def _counters(self, m: Module, network: Network, port: HostPort, address: Signal) -> Value:
        """Return what is read of a counter, or the cycle for which one was read last."""
        place = address[: where.REGION_SHIFT]
        chosen = Signal(WORD_BITS)
        m.d.sync += chosen.eq(Array(network.counter_data)[place[where.SWITCH_SHIFT :]])
        stamp = Signal(WORD_BITS)
        # Counters and `now` were those of a cycle when the address was in `address`, one cycle after the host port.
        with m.If(port.captured & (port.address[where.REGION_SHIFT :] == where.Region.COUNTER) & ~port.address[0]):
            m.d.sync += stamp.eq(self.now - (READ_LATENCY - 1))
        return Mux(address[0], stamp, chosen)

    def _nodes(self, m: Module, network: Network, control: _Control, clock: RunClock, address: Signal) -> Value:
        """Build the nodes; return what is read of them."""
        design = self._design
        clear = Signal()
        m.d.comb += clear.eq(clock.now == control.measure)
        data, idle = [], []
        for number in range(len(design.tags)):
            node = Node(design.switch, design.tags, design.packet_size, design.fixed)
            m.submodules[f"node_{number}"] = DomainRenamer(NETWORK)(node)
            connect(m, node.link_out, network.node_in[number])
            connect(m, network.node_out[number], node.link_in)
            m.d.comb += [
                node.node.eq(number),
                node.seed.eq(control.seed),
                node.threshold.eq(control.threshold),
                node.draw.eq(clock.draw),
                node.ahead.eq(clock.ahead),
                node.now.eq(clock.now),
                node.clear.eq(clear),
                node.number.eq(address[: where.NODE_SHIFT]),
                self.injected[number].valid.eq(node.link_out.flit.valid),
                self.injected[number].payload.eq(node.link_out.flit.payload),
                self.ejected[number].valid.eq(node.link_in.flit.valid),
                self.ejected[number].payload.eq(node.link_in.flit.payload),
            ]
            data.append(node.data)
            idle.append(node.idle)
        m.d.sync += control.idle.eq(Cat(idle).all())
        chosen = Signal(WORD_BITS)
        m.d.sync += chosen.eq(Array(data)[address[where.NODE_SHIFT : where.REGION_SHIFT]])
        return chosen


class _Control:
    """Words of the control region."""

    def __init__(self, m: Module, port: HostPort) -> None:
        kept = (where.Control.SEED, where.Control.THRESHOLD, where.Control.MEASURE, where.Control.STOP)
        self._words = {word: Signal(WORD_BITS, name=word.name.lower()) for word in kept}
        self.hold = Signal(init=1)
        self.idle = Signal()
        written = port.write & (port.address[where.REGION_SHIFT :] == where.Region.CONTROL)
        with m.If(written), m.Switch(port.address[: where.REGION_SHIFT]):
            with m.Case(where.Control.RESET):
                m.d.sync += self.hold.eq(port.write_data[0])
            for word, signal in self._words.items():
                with m.Case(word):
                    m.d.sync += signal.eq(port.write_data)
        self.seed = self._words[where.Control.SEED]
        self.threshold = self._words[where.Control.THRESHOLD]
        self.measure = self._words[where.Control.MEASURE]
        self.stop = self._words[where.Control.STOP]

    def read(self, m: Module, address: Signal, digest: int, now: Value) -> Value:
        """Return what is read at an address of the region."""
        value = Signal(WORD_BITS)
        words: dict[where.Control, Value | int] = {
            where.Control.IDENTIFICATION: where.IDENTIFICATION,
            where.Control.DESIGN: digest,
            where.Control.RESET: self.hold,
            where.Control.NOW: now,
            where.Control.IDLE: self.idle,
            **self._words,
        }
        with m.Switch(address[: where.REGION_SHIFT]):
            for word, content in words.items():
                with m.Case(word):
                    m.d.sync += value.eq(content)
            with m.Default():
                m.d.sync += value.eq(0)
        return value
