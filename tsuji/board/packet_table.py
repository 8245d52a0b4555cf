"""Packets of a run, one row each: from the flits of a simulated board, and from the simulator."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from models import formats
from models.formats import COUNTERS, Counter
from sim.engine.network import Network
from sim.packets import Delivered, Int64
from sim.simulation import build
from synth.boards.node_words import Word
from synth.boards.packet_format import BIRTH_BITS, PacketFormat
from tsuji.board.design import Plan

FAULTS = (Word.LOST_BIRTHS, Word.WRONG_SIZE, Word.WRONG_CRC, Word.WRONG_DESTINATION)
COLUMNS = ("source", "destination", "birth", "in", "out")
"""Of a table of packets; cycles in which the head was visible at the first switch, the tail behind the last one."""


def table_of_flits(form: PacketFormat, flits: np.ndarray) -> Int64:
    """Return the table of packets [n, 5] of the flits that nodes sent and got (`tsuji.board.verilated.FLIT`)."""
    rows: dict[tuple[int, ...], list[int]] = {}
    under_way: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    layout = formats.flit(form.switch)
    for flit in flits:
        fields = formats.unpack(layout, int.from_bytes(flit["payload"].tobytes(), "little"))
        packet = under_way[int(flit["node"]), int(flit["ejected"]), fields["vc"]]
        packet.append((int(flit["cycle"]), fields["data"]))
        if not fields["tail"]:
            continue
        bits = sum(data << number * form.switch.data_width for number, (_, data) in enumerate(packet))
        trailer = formats.unpack(form.trailer, bits >> len(packet) * form.switch.data_width - form.trailer_bits)
        key = trailer["source"], trailer["destination"], trailer["sequence"], trailer["birth"]
        row = rows.setdefault(key, [*key[:2], trailer["birth"], -1, -1])
        if flit["ejected"]:
            row[4] = packet[-1][0]
        else:
            row[3] = packet[0][0]
        packet.clear()
    return _sorted(np.array(list(rows.values()), np.int64).reshape(-1, len(COLUMNS)))


def _sorted(table: Int64) -> Int64:
    """Return a table in the order of its columns."""
    return table[np.lexsort(table.T[::-1])]


class Expected(NamedTuple):
    """What the simulator says of a run.

    Attributes
    ----------
    packets : array [n, 5]
        Table of packets.
    words : dict of Word to array [nodes]
        Words of the nodes.
    network : Network
        At rest, for its counters at any later cycle.
    delivered : Delivered
        The packets.
    cycles : int
        Cycles simulated.
    """

    packets: Int64
    words: dict[Word, Int64]
    network: Network
    delivered: Delivered
    cycles: int

    def counters(self, stamps: Int64) -> Int64:
        """Return the counters [switches, ports, Counter], each before the events of the cycle of its stamp."""
        wanted = np.zeros(stamps.shape, np.int64)
        for at in np.unique(stamps):
            values = self.network.counters(max(int(at), self.network.cycle))
            wanted = np.where(stamps == at, values, wanted)
        return wanted


def simulated(plan: Plan, measure: int, stop: int) -> Expected:
    """Return what the simulator says of the packets born before cycle `stop`; latencies count from `measure` on."""
    config = plan.config
    network = build(config)
    assert isinstance(network, Network)
    seed, _ = config.draws.seeds(config.run.seed)
    parts = config.networks.for_traffic(), config.pattern, config.arrivals, config.sizes
    packets = config.draws.stream(*parts, config.load.load, seed).until(stop)
    network.offer(packets)
    parts_delivered = [network.advance(stop)]
    while not network.idle():
        parts_delivered.append(network.advance(100))
    delivered = Delivered.join(parts_delivered)
    # Credits and links go on for some cycles after the last packet.
    network.advance(100)
    nodes = network.topology.nodes
    late = delivered[delivered.birth >= measure]

    def by(node: Int64, weights: Int64 | None = None) -> Int64:
        return np.bincount(node, weights, nodes).astype(np.int64)

    words = {
        Word.PACKETS_OUT: by(packets.source),
        Word.PACKETS_IN: by(delivered.destination),
        Word.LATENCY_LOW: by(late.destination, late.eject - late.birth),
        Word.LATENCY_HIGH: np.zeros(nodes, np.int64),
        Word.BIRTHS_OUT: by(packets.source, packets.birth) % (1 << BIRTH_BITS),
        Word.BIRTHS_IN: by(delivered.destination, delivered.birth) % (1 << BIRTH_BITS),
        **{word: np.zeros(nodes, np.int64) for word in FAULTS},
    }
    columns = (delivered.source, delivered.destination, delivered.birth, delivered.enter, delivered.eject)
    return Expected(_sorted(np.stack(columns, 1)), words, network, delivered, network.cycle)


def counter_names(differs: np.ndarray) -> list[str]:
    """Return the names of the counters that differ anywhere, from [switches, ports, Counter]."""
    return [Counter(number).name.lower() for number in range(COUNTERS) if differs[..., number].any()]
