"""Node of a board's network: draws, sends, receives and checks packets, and counts what happened."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Array, C, Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from hdl import formats
from hdl.node.traffic_hash import CYCLE_BITS, SEED_BITS, THRESHOLD_BITS, TrafficHash
from models.errors import TsujiError
from models.params import SwitchParams
from synth.boards.birth_queue import BirthQueue
from synth.boards.count_table import CountTable
from synth.boards.latency_bin import OVERFLOW, LatencyBin
from synth.boards.node_words import MOST_NODES, NUMBER_BITS, TABLE_SHIFT, Table, Word
from synth.boards.packet_format import BIRTH_BITS, SEQUENCE_BITS, PacketFormat
from synth.boards.packet_sink import PacketSink
from synth.boards.packet_source import PacketSource

WORD_BITS = 32
COUNT_BITS = 24  # of packets
LATENCY_SUM_BITS = 44
ERROR_BITS = 16
HISTOGRAM_DEPTH = 512
"""Least cycles of a reset, in which the histogram is cleared."""


class Node(wiring.Component):
    """A node, equal in every cycle to one of the simulator with `traffic.draws` = "hash".

    A reset must last for `HISTOGRAM_DEPTH` cycles, and for as many as there are nodes.

    Parameters
    ----------
    params : SwitchParams
        Of the switches, with one local port per node and `speedup` = 1.
    tags : sequence of int
        Destination tag of each node.
    size : int
        Flits of every packet.
    fixed : sequence of int or None
        Under a permutation, the destination of each node's packets; nodes that are their own send none. None: each
        packet's is drawn.
    queue : int
        Most packets that wait at the node, a power of two.

    Ports
    -----
    link_out, link_in : LinkSignature
        Links to and from the switch.
    node : In
        Number of this node; constant.
    seed, threshold : In
        As of `TrafficHash`.
    draw, ahead, now : In
        As of `RunClock`.
    clear : In(1)
        The measurement begins: the histogram and the sum of latencies count packets born in this cycle or later.
    number : In(NUMBER_BITS)
        What to read (`synth.boards.node_words`). Tables can be read while no packet is sent or received.
    data : Out(WORD_BITS)
        What was to be read in the cycle before.
    idle : Out(1)
        No packet waits or is being sent.
    """

    def __init__(
        self,
        params: SwitchParams,
        tags: Sequence[int],
        size: int,
        fixed: Sequence[int] | None = None,
        queue: int = HISTOGRAM_DEPTH,
    ) -> None:
        _check(params, len(tags))
        self._form = PacketFormat(params, len(tags), size)
        self._tags, self._fixed, self._queue = tags, fixed, queue
        link = formats.LinkSignature(params)
        super().__init__(
            {
                "link_out": Out(link),
                "link_in": In(link),
                "node": In(self._form.node_bits),
                "seed": In(SEED_BITS),
                "threshold": In(THRESHOLD_BITS),
                "draw": In(1),
                "ahead": In(CYCLE_BITS),
                "now": In(CYCLE_BITS),
                "clear": In(1),
                "number": In(NUMBER_BITS),
                "data": Out(WORD_BITS),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build generator, queue, sender, receiver, tables and words."""
        m = Module()
        form = self._form
        m.submodules.packet_source = source = PacketSource(form, self._tags)
        m.submodules.packet_sink = sink = PacketSink(form)
        connect(m, source.link, flipped(self.link_out))
        connect(m, flipped(self.link_in), sink.link)
        m.d.comb += [source.node.eq(self.node), sink.node.eq(self.node), sink.now.eq(self.now)]
        lost = self._generate(m, source)
        tables = self._tables(m, source, sink)
        words = self._words(m, source, sink, tables[Table.RECEIVED].count)
        words[Word.LOST_BIRTHS] = _saturating(m, "lost_births", lost)
        shown = Signal(WORD_BITS)
        table = Signal(NUMBER_BITS - TABLE_SHIFT)
        m.d.sync += table.eq(self.number[TABLE_SHIFT:])
        m.d.sync += shown.eq(Array(words[word] for word in Word)[self.number[: (len(Word) - 1).bit_length()]])
        m.d.comb += self.data.eq(Array([shown, *(tables[name].count for name in Table if name in tables)])[table])
        return m

    def _generate(self, m: Module, source: PacketSource) -> Value:
        """Build the generator and its queue, in front of the sender; return whether a packet finds the queue full."""
        form = self._form
        m.submodules.traffic_hash = traffic_hash = TrafficHash(form.nodes)
        m.submodules.queue = queue = BirthQueue(1 + form.node_bits + BIRTH_BITS, self._queue)
        for name in ("seed", "node", "threshold", "draw"):
            m.d.comb += getattr(traffic_hash, name).eq(getattr(self, name))
        m.d.comb += traffic_hash.cycle.eq(self.ahead)
        destination: Value = traffic_hash.destination
        if self._fixed is not None:
            destination = Array(C(to, form.node_bits) for to in self._fixed)[self.node]
        measuring = Signal()
        with m.If(self.clear):
            m.d.sync += measuring.eq(1)
        m.d.comb += [
            queue.put.eq(traffic_hash.packet & (destination != self.node)),
            queue.word.eq(Cat(measuring | self.clear, destination, self.now[:BIRTH_BITS])),
            queue.take.eq(source.take),
            source.valid.eq(queue.valid),
            Cat(source.measured, source.destination, source.birth).eq(queue.first),
            self.idle.eq(queue.empty & ~source.busy & ~queue.put),
        ]
        return queue.lost

    def _tables(self, m: Module, source: PacketSource, sink: PacketSink) -> dict[Table, CountTable]:
        """Build the tables; packets with an error are in none."""
        nodes = self._form.nodes
        m.submodules.histogram = histogram = CountTable(HISTOGRAM_DEPTH, COUNT_BITS)
        m.submodules.sent = sent = CountTable(nodes, COUNT_BITS)
        m.submodules.received = received = CountTable(nodes, COUNT_BITS)
        m.submodules.latency_bin = latency_bin = LatencyBin(BIRTH_BITS)
        measured = Signal()
        place = Signal(range(OVERFLOW + 1), reset_less=True)
        m.d.comb += latency_bin.latency.eq(sink.latency)
        m.d.sync += [measured.eq(_intact(sink) & sink.trailer.measured), place.eq(latency_bin.bin)]
        m.d.comb += [
            histogram.add.eq(measured),
            histogram.index.eq(place),
            sent.add.eq(source.take),
            sent.index.eq(source.destination),
            source.sequence.eq(sent.count),
            received.add.eq(_intact(sink)),
            received.index.eq(sink.trailer.source),
        ]
        tables = {Table.HISTOGRAM: histogram, Table.SENT: sent, Table.RECEIVED: received}
        for table in tables.values():
            m.d.comb += table.number.eq(self.number)
        return tables

    def _words(self, m: Module, source: PacketSource, sink: PacketSink, received: Value) -> dict[Word, Value]:
        """Build the words of sender and receiver."""
        trailer, intact = sink.trailer, _intact(sink)
        latency = Signal(LATENCY_SUM_BITS)
        with m.If(intact & trailer.measured):
            m.d.sync += latency.eq(latency + sink.latency)
        # The count of packets of the source comes a cycle later than the packet.
        was_intact = Signal()
        sequence = Signal(SEQUENCE_BITS, reset_less=True)
        m.d.sync += [was_intact.eq(intact), sequence.eq(trailer.sequence)]
        added = {
            Word.PACKETS_OUT: (COUNT_BITS, source.sent, 1),
            Word.PACKETS_IN: (COUNT_BITS, sink.done, 1),
            Word.BIRTHS_OUT: (BIRTH_BITS, source.sent, source.sent_birth),
            Word.BIRTHS_IN: (BIRTH_BITS, intact, trailer.birth),
        }
        words: dict[Word, Value] = {Word.LATENCY_LOW: latency[:WORD_BITS], Word.LATENCY_HIGH: latency[WORD_BITS:]}
        for word, (width, event, amount) in added.items():
            words[word] = total = Signal(width, name=word.name.lower())
            with m.If(event):
                m.d.sync += total.eq(total + amount)
        errors = {
            Word.WRONG_SIZE: sink.done & sink.wrong_size,
            Word.WRONG_CRC: sink.done & sink.wrong_crc,
            Word.WRONG_DESTINATION: sink.done & sink.wrong_destination,
            Word.WRONG_SEQUENCE: was_intact & (sequence != received[:SEQUENCE_BITS]),
        }
        return words | {word: _saturating(m, word.name.lower(), event) for word, event in errors.items()}


def _check(params: SwitchParams, nodes: int) -> None:
    """Refuse switches whose nodes are not like this."""
    if nodes > MOST_NODES:
        raise TsujiError(f"{nodes} nodes: a board has at most {MOST_NODES}")
    for key in ("speedup", "node_ports"):
        if (value := getattr(params, key)) != 1:
            raise TsujiError(f"switch.{key} = {value}: must be 1 for the nodes of a board")


def _intact(sink: PacketSink) -> Value:
    """Return whether a packet without error has arrived."""
    return sink.done & ~(sink.wrong_size | sink.wrong_crc | sink.wrong_destination)


def _saturating(m: Module, name: str, event: Value) -> Value:
    """Build a counter of the cycles with an event, which stops at its highest count; return its value."""
    count = Signal(ERROR_BITS, name=name)
    with m.If(event & ~count.all()):
        m.d.sync += count.eq(count + 1)
    return count
