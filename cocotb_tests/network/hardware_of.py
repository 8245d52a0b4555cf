"""What the hardware of a network needs to know of its topology and its routes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from hdl.network import CROSSBAR, SWITCH, Wiring
from models.params import SwitchParams
from models.route.dimension_order import encode
from sim.routing.base import Tables
from sim.routing.ternary_entries import tags_of, ternary_entries
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.computed import ComputedTopology


def wiring_of(params: SwitchParams, topology: Topology) -> Wiring:
    """Return the wiring of a topology's switches; each local port is a node of it."""
    peers = [
        [None if s == NOBODY else (int(s), int(p)) for s, p in zip(switches, ports, strict=True)]
        for switches, ports in zip(topology.peer_switch, topology.peer_port, strict=True)
    ]
    nodes = [(int(s), int(p)) for s, p in zip(*topology.local_ends, strict=True)]
    positions = [0] * topology.switches
    if params.computed:
        assert isinstance(topology, ComputedTopology)
        positions = [
            encode(tuple(map(int, row)), 0, params.position_bits) if (row >= 0).all() else 0
            for row in topology.own_coordinates
        ]
    crossbars = [None if d == NOBODY else int(d) for d in getattr(topology, "crossbar", ())]
    delays = [[int(cycles) for cycles in row] for row in topology.link_latency]
    return Wiring(peers, nodes, positions, crossbars, delays)


@dataclass(frozen=True)
class Entries:
    """Entries of the route tables of all switches, in the order in which they are programmed.

    Attributes
    ----------
    switch : array [n]
        Switch whose table has the entry.
    fields : dict of str to array [n]
        Fields of `models.formats.program`.
    """

    switch: Int64
    fields: dict[str, Int64]


def entries_of(params: SwitchParams, topology: Topology, tables: Tables) -> Entries:
    """Return the entries that program routes."""
    switch, column = np.argwhere(tables.found).T
    matching: dict[str, Int64] = {}
    if params.ternary:
        entries = ternary_entries(topology, tables)
        switch, column = entries.switch, entries.column
        matching = {"tag": entries.tag, "mask": entries.mask, "entry": entries.number}
    fields: dict[str, Int64] = {
        "tag": tags_of(topology, tables)[column],
        "found": np.ones(len(column), np.int64),
        "out": tables.out[switch, column].astype(np.int64),
        "vc_first": tables.vc_first[switch, column].astype(np.int64),
        "vc_last": tables.vc_last[switch, column].astype(np.int64),
    }
    if tables.choices is not None:
        fields["choices"] = tables.choices[switch, column]
    return Entries(switch, fields | matching)


def with_one_class(verilog: str) -> str:
    """Return Verilog in which all switches are one C++ class, instead of one copied into each place.

    Verilator and the compiler then take a third of the time.
    """
    switches = rf"(^module (?:{SWITCH}|{CROSSBAR}_\d+)\(.*?\);)"
    return re.sub(switches, r"\1 /* verilator no_inline_module */", verilog, flags=re.DOTALL | re.MULTILINE)
