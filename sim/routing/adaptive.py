"""Adaptive routing as data: deterministic tables with all outputs on shortest paths added to each route."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from models.params import SwitchParams
from sim.lib.progress import steps
from sim.routing.base import Tables
from sim.topology.base import NOBODY, Int64, Topology


def choices(topology: Topology) -> Int64:
    """Return the outputs of each switch [S, N] on shortest paths to each node, one bit each; 0 at its own switch."""
    masks = np.zeros((topology.switches, topology.nodes), np.int64)
    for switch in steps("choices", np.unique(topology.node_switch)):
        distance = topology.distances(int(switch))
        nearer = (topology.peer_switch != NOBODY) & (distance[topology.peer_switch] == distance[:, None] - 1)
        bits = (nearer.astype(np.int64) << np.arange(topology.ports)).sum(axis=1)
        masks[:, topology.node_switch == switch] = bits[:, None]
    return masks


def with_choices(topology: Topology, tables: Tables, params: SwitchParams) -> Tables:
    """Return tables of the escape VCs with choices added, and with all VCs towards nodes."""
    rows = np.arange(topology.switches)[:, None]
    ejects = topology.port_node[rows, np.where(tables.found, tables.out, 0)] != NOBODY
    vc_first = np.where(ejects, 0, tables.vc_first).astype(np.int8)
    vc_last = np.where(ejects, params.vcs - 1, tables.vc_last).astype(np.int8)
    return replace(tables, vc_first=vc_first, vc_last=vc_last, choices=choices(topology))
