"""Marks which channels packets hold, and for which they then wait: what dependencies follow from.

Every route is visited once, so the time is that of the routes, and the memory that of the links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.jit.bits import each_member
from models.jit.compiled import compiled, compiled_noinline
from models.jit.struct_pointer import struct_pointer
from models.params.parts import MAX_VCS
from sim.lib.progress import steps
from sim.routing.base import BLOCK, Tables
from sim.routing.paths import refuse_lost
from sim.topology.base import NOBODY, Int64, Topology

VC_BITS = 4


class Marks(NamedTuple):
    """Links with the ranges of VCs that packets take on them; a link is switch · ports + port.

    Attributes
    ----------
    ranges : array of int64 [R, 2]
        First and last VC of each range.
    held : array of uint8 [links, R]
        1 if packets hold VCs of that range.
    wanted : array of int64 [links, R, R]
        Ports of the next switch, one bit each, for which such a packet waits; by the range wanted there.
    """

    ranges: Int64
    held: np.ndarray
    wanted: Int64


def marks(topology: Topology, tables: Tables) -> Marks:
    """Return what all packets between nodes of the network hold and want.

    A packet is at every switch that routes and choices lead to. It has the VCs of the table there, or, straight on,
    those that it keeps (`Tables.kept`).

    Raises
    ------
    TsujiError
        If a route leads to a port with neither a switch nor the right node.
    """
    tables = tables.checked(topology, MAX_VCS)
    columns = max(1, BLOCK // topology.switches)
    number = np.full(1 << 2 * VC_BITS, NOBODY, np.int64)
    for part in tables.parts(columns):
        out, first, last, found, _ = part.by_column()
        _mark_ranges(topology.peer_switch, out, first, last, found, number)
    ranges = np.flatnonzero(number != NOBODY)
    number[ranges] = np.arange(len(ranges))
    links, count = topology.peer_switch.size, max(1, len(ranges))
    found_marks = Marks(
        np.column_stack((ranges >> VC_BITS, ranges & (1 << VC_BITS) - 1)),
        np.zeros((links, count), np.uint8),
        np.zeros((links, count, count), np.int64),
    )
    kept = 0 if tables.kept is None else int(sum(1 << int(port) for port in tables.kept))
    starts = np.unique(topology.node_switch)
    scratch = np.zeros(topology.switches * count, np.uint8), np.zeros(topology.switches * count, np.int64)
    for part in steps("deadlock check", list(tables.parts(columns))):
        routes = _Routes(topology.peer_switch, topology.port_node, part.nodes, *part.by_column(), kept, number)
        place = _mark(routes, starts, *scratch, found_marks.held, found_marks.wanted)
        if place != NOBODY:
            refuse_lost(topology, part, place % topology.switches, place // topology.switches)
    return found_marks


@struct_pointer
class _Routes(NamedTuple):
    """Routes of C columns at S switches."""

    peer: np.ndarray  # [S, P], as in Topology
    port_node: np.ndarray  # [S, P]
    nodes: np.ndarray  # [C]: node of each column
    out: np.ndarray  # [C, S]
    first: np.ndarray  # [C, S]
    last: np.ndarray  # [C, S]
    found: np.ndarray  # [C, S]
    choices: np.ndarray  # [C, S], or [0, 0] without
    kept: int  # ports, one bit each
    number: np.ndarray  # number of each range of VCs


@compiled_noinline
def _mark_ranges(
    peer: np.ndarray, out: np.ndarray, first: np.ndarray, last: np.ndarray, found: np.ndarray, number: np.ndarray
) -> None:
    """Set `number` of the ranges of VCs of all routes [C, S] to other switches to 0."""
    for column in range(first.shape[0]):
        for s in range(first.shape[1]):
            if found[column, s] and peer[s, out[column, s]] != NOBODY:
                number[_range(first[column, s], last[column, s])] = 0


@compiled
def _range(first: int, last: int) -> int:
    """Return the index of a range of VCs in `number`."""
    return int(np.int64(first) << VC_BITS | np.int64(last))


@compiled
def _own(r: _Routes, column: int, s: int) -> int:
    """Return the number of the range of VCs of the table; 0 at the last switch."""
    return max(0, int(r.number[_range(r.first[column, s], r.last[column, s])]))


@compiled
def _lost(r: _Routes, column: int) -> int:
    """Return a switch whose route leads to a port with neither a switch nor the right node, or NOBODY."""
    for s in range(r.peer.shape[0]):
        if r.found[column, s]:
            port = r.out[column, s]
            if r.peer[s, port] == NOBODY and r.port_node[s, port] != r.nodes[column]:
                return s
    return NOBODY


@compiled
def _add(state: int, seen: np.ndarray, queue: np.ndarray, end: int) -> int:
    """Append a state to the queue, once; return the queue's new end."""
    if seen[state]:
        return end
    seen[state] = 1
    queue[end] = state
    return end + 1


@compiled
def _add_chosen(r: _Routes, column: int, s: int, ranges: int, seen: np.ndarray, queue: np.ndarray, end: int) -> int:
    """Append the switches to which choices at switch `s` lead; return the queue's new end."""
    if not len(r.choices):
        return end
    mask = r.choices[column, s]
    for port in each_member(mask):
        t = r.peer[s, port]
        if t != NOBODY and r.found[column, t]:
            end = _add(t * ranges + _own(r, column, t), seen, queue, end)
    return end


@compiled_noinline
def _mark(
    r: _Routes, starts: np.ndarray, seen: np.ndarray, queue: np.ndarray, held: np.ndarray, wanted: np.ndarray
) -> int:
    """Mark what packets hold and want; return column · S + switch of a route that leads nowhere, or NOBODY.

    Packets to one destination are followed together. Their state is a switch and the number of a range of VCs.
    """
    switches, ports = r.peer.shape
    ranges = held.shape[1]
    for column in range(r.out.shape[0]):
        lost = _lost(r, column)
        if lost != NOBODY:
            return int(column * switches + lost)
        end = 0
        for k in range(len(starts)):
            if r.found[column, starts[k]]:
                end = _add(starts[k] * ranges + _own(r, column, starts[k]), seen, queue, end)
        at = 0
        while at < end:
            s, vcs = queue[at] // ranges, queue[at] % ranges
            at += 1
            end = _add_chosen(r, column, s, ranges, seen, queue, end)
            out = np.int64(r.out[column, s])
            t = r.peer[s, out]
            if t == NOBODY:
                continue
            held[s * ports + out, vcs] = 1
            if not r.found[column, t]:
                continue
            own, following = _own(r, column, t), np.int64(r.out[column, t])
            then = vcs if r.kept >> out & 1 and following == out else own
            if r.peer[t, following] != NOBODY:
                wanted[s * ports + out, vcs, then] |= 1 << following
            end = _add(t * ranges + own, seen, queue, end)
            end = _add(t * ranges + then, seen, queue, end)
        for k in range(end):
            seen[queue[k]] = 0
    return NOBODY
