"""A network of RTL switches with a board's node at each local port, run for some cycles, and what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from amaranth.hdl import ClockDomain, ClockSignal, DomainRenamer, Instance, Module, Mux, ResetSignal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cocotb_tests.network.lockstep import TOP as NETWORK
from cocotb_tests.network.lockstep import RtlNetwork
from cocotb_tests.soak.library import Library
from hdl import formats
from hdl.node.traffic_hash import LATENCY
from hdl.verilog import component_verilog
from models import formats as layouts
from models.formats import COUNTERS
from models.params import LinkParams, SwitchParams, index_width
from sim.topology.base import Topology
from synth.boards.latency_bin import OVERFLOW
from synth.boards.node import HISTOGRAM_DEPTH, Node
from synth.boards.node_words import NUMBER_BITS, Table, Word, number_of
from synth.boards.packet_format import PacketFormat
from synth.boards.run_clock import RunClock

TOP = "board_nodes"
RESET = HISTOGRAM_DEPTH + 8  # cycles


@dataclass(frozen=True)
class Setup:
    """A network and its nodes.

    Attributes
    ----------
    params : SwitchParams
        Of the switches, which compute their routes; with counters.
    topology : Topology
        With the addresses of the nodes.
    size : int
        Flits of a packet.
    fixed : sequence of int or None
        Destinations under a permutation.
    queue : int
        Depth of the nodes' queues.
    """

    params: SwitchParams
    topology: Topology
    size: int
    fixed: Sequence[int] | None = None
    queue: int = HISTOGRAM_DEPTH

    @property
    def form(self) -> PacketFormat:
        """Format of the packets."""
        return PacketFormat(self.params, self.topology.nodes, self.size)

    def node(self) -> Node:
        """Return a node."""
        tags = [int(tag) for tag in self.topology.addresses]
        return Node(self.params, tags, self.size, self.fixed, self.queue)


@dataclass
class Report:
    """What the nodes did.

    Attributes
    ----------
    packets : list of tuple of int
        Source, destination, birth, cycle of entry and of exit of each packet that left the network, sorted.
    flits : list of list of int
        Cycles in which the flits of each packet to node 0 arrived.
    words : list of dict
        Words of each node.
    tables : dict
        Contents of the tables of each node, [nodes, places].
    counters : array
        Counters of the switches [switches, ports, Counter].
    idle : bool
        Whether all nodes were idle at the end.
    """

    packets: list[tuple[int, ...]]
    flits: list[list[int]]
    words: list[dict[Word, int]]
    tables: dict[Table, np.ndarray]
    counters: np.ndarray
    idle: bool

    def total(self, word: Word) -> int:
        """Return the sum of a word over all nodes."""
        return sum(words[word] for words in self.words)


class BoardNodes(wiring.Component):
    """Nodes around the module `NETWORK`, with faults on the links to nodes 0 and 1.

    Ports
    -----
    hold, stop, seed, threshold, clear, number : In
        As of `RunClock` and `Node`, for all nodes.
    drop, flip, crossed : In
        Faults: a flit to node 0 is lost; bits of its data change; flits to node 0 go to node 1, and the reverse.
    counter_port, counter_number, counter_data_<s> : In, Out
        As of the network.
    now, reset, idle, data_<n> : Out
        Of the clock of the run; of the nodes.
    into_<n>_<field>, out_<n>_<field> : Out
        Flits of node n into the network and out of it, in front of the faults.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        params, self._nodes = setup.params, setup.topology.nodes
        members: dict[str, Any] = {"hold": In(1), "stop": In(32), "seed": In(32), "threshold": In(25), "clear": In(1)}
        members |= {"number": In(NUMBER_BITS), "drop": In(1), "flip": In(params.data_width), "crossed": In(1)}
        members |= {"counter_port": In(params.port_bits), "counter_number": In(index_width(COUNTERS))}
        members |= {f"counter_data_{s}": Out(params.counter_width) for s in range(setup.topology.switches)}
        members |= {"now": Out(32), "reset": Out(1), "idle": Out(self._nodes)}
        for n in range(self._nodes):
            members[f"data_{n}"] = Out(32)
            for way in ("into", "out"):
                members[f"{way}_{n}_valid"] = Out(1)
                members |= {f"{way}_{n}_{each.name}": Out(each.width) for each in layouts.flit(params)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build clock, nodes and network."""
        m = Module()
        m.submodules.clock = clock = RunClock()
        m.domains += ClockDomain("run", local=True)
        m.d.comb += [ClockSignal("run").eq(ClockSignal()), ResetSignal("run").eq(clock.reset)]
        m.d.comb += [clock.hold.eq(self.hold), clock.stop.eq(self.stop)]
        m.d.comb += [self.now.eq(clock.now), self.reset.eq(clock.reset)]
        signature = formats.LinkSignature(self._setup.params)
        into, out = (
            [signature.create(path=(f"{way}_{n}",)) for n in range(self._nodes)] for way in ("net_in", "net_out")
        )
        nodes = [self._setup.node() for _ in range(self._nodes)]
        for n, node in enumerate(nodes):
            m.submodules[f"node_{n}"] = DomainRenamer("run")(node)
            m.d.comb += [getattr(node, name).eq(getattr(self, name)) for name in ("seed", "threshold", "clear")]
            m.d.comb += [getattr(node, name).eq(getattr(clock, name)) for name in ("draw", "ahead", "now")]
            m.d.comb += [node.node.eq(n), node.number.eq(self.number)]
            m.d.comb += [self.idle[n].eq(node.idle), getattr(self, f"data_{n}").eq(node.data)]
            sent, taken, came = node.link_out, node.link_in, out[n]
            m.d.comb += [into[n].flit.valid.eq(sent.flit.valid), into[n].flit.payload.eq(sent.flit.payload)]
            m.d.comb += [sent.credit.valid.eq(into[n].credit.valid), sent.credit.payload.eq(into[n].credit.payload)]
            other = 1 - n if n < 2 else n
            for way, at, crossed in (("flit", taken, out[other]), ("credit", came, nodes[other].link_in)):
                plain = came if way == "flit" else taken
                for name in ("valid", "payload"):
                    here, there = (getattr(getattr(end, way), name) for end in (plain, crossed))
                    m.d.comb += getattr(getattr(at, way), name).eq(Mux(self.crossed, there, here))
            if n == 0:
                first = Mux(self.crossed, out[1].flit.payload.data, came.flit.payload.data)
                with m.If(self.drop):
                    m.d.comb += taken.flit.valid.eq(0)
                m.d.comb += taken.flit.payload.data.eq(first ^ self.flip)
            for way, link in (("into", into[n]), ("out", came)):
                m.d.comb += getattr(self, f"{way}_{n}_valid").eq(link.flit.valid)
                for each in layouts.flit(self._setup.params):
                    m.d.comb += getattr(self, f"{way}_{n}_{each.name}").eq(link.flit.payload[each.name])
        m.submodules.network = self._network(into, out)
        return m

    def _network(self, into: list[Any], out: list[Any]) -> Instance:
        ports: dict[str, Any] = {"i_clk": ClockSignal("run"), "i_rst": ResetSignal("run")}
        for n in range(self._nodes):
            for name, link, sender, receiver in (("node_in", into[n], "i", "o"), ("node_out", out[n], "o", "i")):
                for part in ("valid", "payload"):
                    ports[f"{sender}_{name}_{n}_flit_{part}"] = getattr(link.flit, part)
                    ports[f"{receiver}_{name}_{n}_credit_{part}"] = getattr(link.credit, part)
        ports |= {"i_counter_port": self.counter_port, "i_counter_number": self.counter_number}
        for s in range(self._setup.topology.switches):
            ports[f"o_counter_data_{s}"] = getattr(self, f"counter_data_{s}")
        return Instance(NETWORK, **ports)


@dataclass
class Faults:
    """Faults on the links to nodes 0 and 1, by cycle.

    Attributes
    ----------
    drop : sequence of int
        Cycles in which a flit to node 0 is lost, if one arrives.
    flip : dict
        Bits of the data that change in a cycle.
    crossed : bool
        Whether flits to node 0 go to node 1, and the reverse, in all cycles.
    """

    drop: Sequence[int] = ()
    flip: dict[int, int] = field(default_factory=dict)
    crossed: bool = False


class Bench:
    """The design in Verilator."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        network = RtlNetwork(setup.params, LinkParams(latency=0), setup.topology, None, counters=True)
        text = component_verilog(BoardNodes(setup), TOP)
        self._library = Library(f"{text}\n{network.verilog}", TOP, "-O0")

    def run(
        self, *, stop: int, drain: int, seed: int, threshold: int, measure: int = 0, faults: Faults | None = None
    ) -> Report:
        """Create packets until cycle `stop`, run on for `drain` cycles, read everything."""
        faults = faults or Faults()
        inputs, outputs = self._library.inputs, self._library.outputs
        before = RESET + 1 + LATENCY  # rows before cycle 0
        rows = inputs.blank(before + stop + drain)
        cycle = np.arange(len(rows)) - before
        flips = np.zeros(len(rows), np.uint64)
        for at, bits in faults.flip.items():
            flips[before + at] = bits
        given: dict[str, Any] = {"hold": cycle < RESET - before, "stop": stop, "seed": seed, "threshold": threshold}
        given |= {"clear": cycle == measure, "drop": np.isin(cycle, list(faults.drop)), "flip": flips}
        given["crossed"] = faults.crossed
        for name, values in given.items():
            inputs.put(rows, name, np.broadcast_to(values, len(rows)))
        seen = self._library.run(rows)[before:]
        assert (outputs.take(seen, "now") == np.arange(len(seen))).all()
        assert not outputs.take(seen, "reset").any()
        idle = int(outputs.take(seen, "idle")[-1]) + 1 == 1 << self._setup.topology.nodes
        packets, (words, tables) = self._packets(seen), self._nodes_read(stop)
        flits = [cycles for cycles, _ in self._on_link(seen, "out_0")]
        return Report(packets, flits, words, tables, self._counters_read(stop), idle)

    def close(self) -> None:
        """Free the design."""
        self._library.close()

    def _packets(self, seen: np.ndarray) -> list[tuple[int, ...]]:
        """Return the packets on the nodes' links."""
        entered: dict[tuple[int, ...], int] = {}
        left: list[tuple[int, ...]] = []
        for way in ("into", "out"):
            for n in range(self._setup.topology.nodes):
                for cycles, fields in self._on_link(seen, f"{way}_{n}"):
                    name = fields["source"], fields["destination"], fields["birth"]
                    if way == "into":
                        entered[name] = cycles[0]
                    else:
                        left.append((*name, entered[name], cycles[-1]))
        return sorted(left)

    def _on_link(self, seen: np.ndarray, link: str) -> list[tuple[list[int], dict[str, int]]]:
        """Return the cycles of the flits, and the trailer, of each packet on a link."""
        form, width = self._setup.form, self._setup.params.data_width
        take = {each: self._library.outputs.take(seen, f"{link}_{each}") for each in ("valid", "vc", "tail", "data")}
        found = []
        under_way: dict[int, list[int]] = {v: [] for v in range(self._setup.params.vcs)}
        for cycle in np.flatnonzero(take["valid"]):
            packet = under_way[int(take["vc"][cycle])]
            packet.append(int(cycle))
            if take["tail"][cycle]:
                whole = sum(int(take["data"][at]) << k * width for k, at in enumerate(packet))
                trailer = whole >> len(packet) * width - form.trailer_bits
                found.append((packet.copy(), layouts.unpack(form.trailer, trailer)))
                packet.clear()
        return found

    def _nodes_read(self, stop: int) -> tuple[list[dict[Word, int]], dict[Table, np.ndarray]]:
        """Return the words and tables of all nodes."""
        nodes = self._setup.topology.nodes
        places = {Table.WORDS: len(Word), Table.HISTOGRAM: OVERFLOW + 1, Table.SENT: nodes, Table.RECEIVED: nodes}
        numbers = [number_of(table, place) for table, count in places.items() for place in range(count)]
        seen = self._reading(stop, {"number": np.array([*numbers, 0])})
        values = np.array([self._library.outputs.take(seen, f"data_{n}")[1:] for n in range(nodes)]).astype(np.int64)
        ends = np.cumsum(list(places.values()))
        tables = dict(zip(places, np.split(values, ends[:-1], axis=1), strict=True))
        words = [{word: int(row[word]) for word in Word} for row in tables.pop(Table.WORDS)]
        return words, tables

    def _counters_read(self, stop: int) -> np.ndarray:
        """Return the counters of the switches [switches, ports, Counter]."""
        ports = self._setup.params.ports
        port, number = np.divmod(np.arange(ports * COUNTERS + 1) % (ports * COUNTERS), COUNTERS)
        seen = self._reading(stop, {"counter_port": port, "counter_number": number})
        switches = range(self._setup.topology.switches)
        values = [self._library.outputs.take(seen, f"counter_data_{s}")[1:] for s in switches]
        return np.array(values).reshape(len(values), ports, COUNTERS).astype(np.int64)

    def _reading(self, stop: int, given: dict[str, np.ndarray]) -> np.ndarray:
        """Give these inputs, one per cycle, after the run; return the outputs."""
        inputs = self._library.inputs
        rows = inputs.blank(len(next(iter(given.values()))))
        inputs.put(rows, "stop", np.full(len(rows), stop))
        for name, values in given.items():
            inputs.put(rows, name, values)
        return self._library.run(rows)
