"""Lockstep of a network: replays the nodes' side of a simulation on RTL, and compares the switches' side.

The simulator logs what each node sends and when, and the RTL gets exactly that. If the RTL's outputs to the nodes
(flits, credits) equal the log in every cycle, a node beside the RTL would have decided the same. So the two networks
have the same behaviour, cycle by cycle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cocotb_tests.network.hardware_of import entries_of, wiring_of, with_one_class
from cocotb_tests.runner.port_layout import Layout
from cocotb_tests.runner.verilog import kept_verilog
from cocotb_tests.soak.library import Library
from hdl.network import verilog
from models import formats
from models.batched.limits import can_batch
from models.formats import COUNTERS
from models.params import LinkParams, SwitchParams
from sim.engine.links import CREDITED, EJECTED, INJECTED
from sim.engine.network import Network
from sim.engine.path_draw import PathDraw
from sim.packets import Packets
from sim.routing.base import Tables
from sim.topology.base import NOBODY, Topology
from sim.traffic.injection import ONE_A_PORT, Injection

TOP = "tsuji_network"


@dataclass
class Lockstep:
    """Result of a comparison.

    Parameters
    ----------
    cycles : int
        Cycles in which every output to every node was compared.
    flits : int
        Flits that reached nodes in these cycles.
    mismatches : int
        Outputs that differed.
    first : str
        Description of the first difference.
    counted : int
        Counter values compared, in all switches.
    """

    cycles: int
    flits: int
    mismatches: int
    first: str
    counted: int


class RtlNetwork:
    """A network of RTL switches in Verilator, on which simulations can be replayed.

    Parameters
    ----------
    params : SwitchParams
        Every switch; the fields of a flit take at most 64 bits.
    link : LinkParams
        Every link; `topology` may add delays of single links.
    topology : Topology
        The wiring.
    tables : Tables or None
        Routes; None if the switches compute them.
    injection : Injection
        How the nodes inject packets.
    counters : bool
        Whether to read all counters of all switches in the last cycles.
    """

    def __init__(
        self,
        params: SwitchParams,
        link: LinkParams,
        topology: Topology,
        tables: Tables | None,
        injection: Injection = ONE_A_PORT,
        counters: bool = False,
    ) -> None:
        self._counters = counters
        self._params, self._link, self._topology, self._tables = params, link, topology, tables
        self._injection = injection
        self._paths = 1 << params.tie_bits if tables is None else tables.paths
        assert formats.width(formats.flit(params)) <= 64
        wires = wiring_of(params, topology)
        text = kept_verilog(
            repr((TOP, params, link, wires, counters)), lambda: verilog(params, link, wires, TOP, counters=counters)
        )
        self.verilog = with_one_class(text)
        self._nodes = len(wires.nodes)

    def compare(self, packets: Packets, cycles: int, text: str | None = None) -> Lockstep:
        """Simulate, replay on the RTL, and compare.

        Parameters
        ----------
        packets : Packets
            Packets that the nodes send.
        cycles : int
            Number of cycles.
        text : str, optional
            Verilog to use instead of the network's own: a mutant.
        """
        addressed = self._addressed(cycles)
        log, counted = self._simulated(packets, cycles, addressed, False)
        if can_batch(self._params, self._topology.ports):
            of_batches = self._simulated(packets, cycles, addressed, True)
            for mine, theirs in zip((log, counted), of_batches, strict=True):
                assert np.array_equal(mine, theirs), "in batches, the simulator does something else"
        library = Library(text or self.verilog, TOP, "-O0")
        before = self._program(library.inputs)
        stimulus = library.inputs.blank(cycles)
        self._play(library.inputs, stimulus, log, packets)
        if self._counters:
            for name, values in (("counter_port", addressed[:, 1]), ("counter_number", addressed[:, 2])):
                library.inputs.put(stimulus, name, _placed(values, addressed[:, 0], cycles))
        library.run(before)
        got = library.run(stimulus)
        wanted = library.outputs.blank(cycles)
        self._expect(library.outputs, wanted, log, packets)
        masked = self._masked(library.outputs, got)
        if self._counters:
            self._compare_counters(library.outputs, got, masked, wanted, addressed, counted)
        library.close()
        wrong = np.argwhere(masked != wanted)
        first = ""
        if len(wrong):
            cycle = int(wrong[0][0])
            first = "; ".join(
                f"cycle {cycle}: {name} is {value:#x}, must be {must:#x}"
                for (name, value), must in zip(
                    _row(library.outputs, masked[cycle]).items(),
                    _row(library.outputs, wanted[cycle]).values(),
                    strict=True,
                )
                if value != must
            )
        return Lockstep(cycles, int((log[:, 0] == EJECTED).sum()), len(wrong), first, counted.size)

    def _simulated(
        self, packets: Packets, cycles: int, addressed: np.ndarray, simd: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the events at the nodes' ports in the simulator, sorted, and the counters that are read."""
        network = Network(
            self._params,
            self._link,
            self._topology,
            self._tables,
            log=8 * packets.flits + 1024,
            injection=self._injection,
            simd=simd,
        )
        network.offer(packets)
        network.advance(cycles - len(addressed) - 1)
        counted = np.zeros((len(addressed), self._topology.switches), np.int64)
        for row, (_, port, number) in enumerate(addressed):
            counted[row] = network.counters()[:, port, number]
            network.advance(1)
        network.advance(cycles - network.cycle)
        log = network.log[network.log[:, 1] < cycles]
        return log[np.lexsort(log.T[::-1])], counted

    def _addressed(self, cycles: int) -> np.ndarray:
        """Return the counter reads, [reads, 3]: cycle, port, number; the last data arrive in the last cycle."""
        if not self._counters:
            return np.zeros((0, 3), np.int64)
        port, number = np.divmod(np.arange(self._topology.ports * COUNTERS), COUNTERS)
        return np.column_stack((cycles - 1 - len(port) + np.arange(len(port)), port, number))

    def _compare_counters(
        self,
        layout: Layout,
        got: np.ndarray,
        masked: np.ndarray,
        wanted: np.ndarray,
        addressed: np.ndarray,
        counted: np.ndarray,
    ) -> None:
        """Write the counter values read and expected, for switches that have the addressed port."""
        mask = (1 << self._params.counter_width) - 1
        for s in range(self._topology.switches):
            name = f"counter_data_{s}"
            ports = self._ports(s)
            there = addressed[:, 1] < ports
            shown = addressed[there, 0] + 1
            must, found = (np.zeros(len(got), np.int64) for _ in range(2))
            must[shown] = counted[there, s] & mask
            found[shown] = layout.take(got, name)[shown]
            layout.put(wanted, name, must)
            layout.put(masked, name, found)

    def _ports(self, s: int) -> int:
        """Return the number of ports of switch `s`; for a crossbar, those that are wired."""
        crossbars = getattr(self._topology, "crossbar", None)
        if crossbars is None or crossbars[s] == NOBODY or not self._params.computed:
            return self._params.ports
        return self._params.crossbar_of(int(crossbars[s])).ports

    def _program(self, layout: Layout) -> np.ndarray:
        """Return the cycles of reset, in which the tables are programmed."""
        if self._tables is None:
            rows = layout.blank(1)
            layout.put(rows, "rst", np.ones(1, np.int64))
            return rows
        entries = entries_of(self._params, self._topology, self._tables)
        count = len(entries.switch)
        rows = layout.blank(count + 1)
        layout.put(rows, "rst", np.ones(len(rows), np.int64))
        layout.put(rows, "program_valid", np.append(np.ones(count, np.int64), 0))
        layout.put(rows, "program_switch", np.append(entries.switch, 0))
        payload = _packed(formats.program(self._params), entries.fields)
        layout.put(rows, "program_payload", np.append(payload, 0))
        return rows

    def _tags(self, packets: Packets) -> np.ndarray:
        """Return the tag of each packet, for the path that the network of `compare` draws for it."""
        path = PathDraw(self._topology.nodes, 0, self._paths, seed=0).draw(packets)
        return np.asarray(self._topology.addresses[packets.destination] * self._paths + path)

    def _flits(self, log: np.ndarray, packets: Packets) -> np.ndarray:
        """Return the payload of each logged flit; its position in the packet follows from the order of the log."""
        order = np.lexsort((log[:, 1], log[:, 4]))
        packet = log[order, 4]
        starts = np.flatnonzero(np.diff(packet, prepend=-1))
        place = np.empty(len(log), np.int64)
        place[order] = np.arange(len(log)) - np.repeat(starts, np.diff(np.append(starts, len(log))))
        width = self._params.data_width
        mask = (1 << width) - 1
        data = (log[:, 4] * 0x9E3779B1 + place * 0x85EBCA77 >> 3) & mask
        tag = self._tags(packets)[log[:, 4]]
        part = np.minimum(place, 63 // width) * width
        bits = np.minimum(width, self._params.tag_width - part)
        header = (tag >> part) & mask | data & ~((1 << bits) - 1)
        data = np.where(place < self._params.header_flits, header, data)
        fields = {"vc": log[:, 3] >> 1, "tail": log[:, 3] & 1, "data": data & mask}
        return _packed(formats.flit(self._params), fields)

    def _play(self, layout: Layout, rows: np.ndarray, log: np.ndarray, packets: Packets) -> None:
        """Write what the nodes do: send flits, and return the credit of a flit in the next cycle."""
        sent = log[log[:, 0] == INJECTED]
        taken = log[(log[:, 0] == EJECTED) & (log[:, 1] + 1 < len(rows))]
        flits = self._flits(sent, packets)
        for node in range(self._nodes):
            mine = sent[:, 2] == node
            _put(layout, rows, f"node_in_{node}_flit", sent[mine, 1], flits[mine])
            mine = taken[:, 2] == node
            _put(layout, rows, f"node_out_{node}_credit", taken[mine, 1] + 1, taken[mine, 3] >> 1)

    def _expect(self, layout: Layout, rows: np.ndarray, log: np.ndarray, packets: Packets) -> None:
        """Write the expected outputs of the switches."""
        got = log[log[:, 0] == EJECTED]
        credited = log[log[:, 0] == CREDITED]
        flits = self._flits(got, packets)
        for node in range(self._nodes):
            mine = got[:, 2] == node
            _put(layout, rows, f"node_out_{node}_flit", got[mine, 1], flits[mine])
            mine = credited[:, 2] == node
            _put(layout, rows, f"node_in_{node}_credit", credited[mine, 1], credited[mine, 3] >> 1)

    def _masked(self, layout: Layout, rows: np.ndarray) -> np.ndarray:
        """Return the outputs with invalid payloads cleared."""
        masked = layout.blank(len(rows))
        for node in range(self._nodes):
            for name in (f"node_out_{node}_flit", f"node_in_{node}_credit"):
                valid = layout.take(rows, f"{name}_valid").astype(bool)
                layout.put(masked, f"{name}_valid", valid)
                layout.put(masked, f"{name}_payload", np.where(valid, layout.take(rows, f"{name}_payload"), 0))
        return masked


def _placed(values: np.ndarray, cycles: np.ndarray, length: int) -> np.ndarray:
    """Return `values` at their cycles, and 0 in the others."""
    placed = np.zeros(length, np.int64)
    placed[cycles] = values
    return placed


def _put(layout: Layout, rows: np.ndarray, name: str, cycles: np.ndarray, payload: np.ndarray) -> None:
    valid = np.zeros(len(rows), np.int64)
    values = np.zeros(len(rows), np.int64)
    valid[cycles] = 1
    values[cycles] = payload
    layout.put(rows, f"{name}_valid", valid)
    layout.put(rows, f"{name}_payload", values)


def _packed(layout: formats.Layout, values: dict[str, np.ndarray]) -> np.ndarray:
    """Return fields, one array each, packed into one word per row."""
    word = np.zeros(len(next(iter(values.values()))), np.int64)
    shift = 0
    for field in layout:
        word |= values[field.name].astype(np.int64) << shift
        shift += field.width
    return word


def _row(layout: Layout, row: np.ndarray) -> dict[str, int]:
    return layout.unpack(int.from_bytes(row.tobytes(), "little"))
