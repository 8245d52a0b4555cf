"""Deadlock freedom of adaptive routing (microarchitecture.md, section 12).

"escape": Duato's theorem (IEEE Trans. Parallel Distrib. Syst., 1993 and 1995). A head can always request the escape VCs
of its route, so there is no deadlock if the dependencies of these alone have no cycle. With wormhole switching, a
packet that holds an escape channel may take any number of choices before it requests the next escape channel: the
extended channel dependency graph contains these indirect dependencies, too. With virtual cut-through, a packet leaves
the channel as a whole, and only direct dependencies remain, from any switch that choices can lead to.

A route may lead back to the switch before a choice; a switch without `u_turn` would drop the packet.

"step": the VC counts the links taken, so dependencies have no cycle; but a packet whose path is longer than the number
of VCs would be dropped.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from models.params import SwitchParams
from sim.lib.progress import report
from sim.routing.base import Tables
from sim.routing.deadlock.directed_cycle import directed_cycle
from sim.routing.deadlock.fixed_routes import Channel, DeadlockError, all_hops, find_cycle, refuse
from sim.routing.paths import moves, next_switch, used
from sim.topology.base import NOBODY, Topology


def check(topology: Topology, tables: Tables, switch: SwitchParams) -> None:
    """Refuse tables with choices that can deadlock, or lose packets.

    Parameters
    ----------
    topology : Topology
        The network.
    tables : Tables
        Routes for the escape VCs, and choices.
    switch : SwitchParams
        Switch parameters, with adaptive routing.

    Raises
    ------
    DeadlockError
        If they can; the message names a cycle of escape channels, the length of a path, or the place where one leads
        back.
    """
    assert switch.adaptive is not None
    report("deadlock check")
    if switch.adaptive.kind == "step":
        _check_steps(topology, tables, switch.vcs)
    elif switch.cut_through:
        refuse(topology, find_cycle(topology, tables))
    else:
        refuse(topology, find_extended_cycle(topology, tables))
    if not switch.u_turn:
        _check_turns(topology, tables)


def find_extended_cycle(topology: Topology, tables: Tables) -> list[Channel]:
    """Return a cycle of escape channels, with or without choices between them; empty if there is none.

    The graph has, besides channels, one vertex per switch and address for the choices, so that dependencies through
    choices need not be listed for each pair of channels.
    """
    hops = all_hops(topology, tables)
    channels = sorted(set(chain.from_iterable(hops.channels)))
    place = {channel: number for number, channel in enumerate(channels)}
    parts = np.array([(h, place[c]) for h, part in enumerate(hops.channels) for c in part], np.int64).reshape(-1, 2)
    first_wanted = len(channels)
    first_held = first_wanted + len(hops.channels)
    places = hops.following != NOBODY
    state = np.full(places.shape, NOBODY, np.int64)
    state[places] = first_held + len(hops.channels) + np.arange(places.sum())

    edges = [np.stack((first_wanted + parts[:, 0], parts[:, 1])), np.stack((parts[:, 1], first_held + parts[:, 0]))]
    edges.append(np.stack((state[places], first_wanted + hops.number[places])))
    for by_choice, (switches, columns, peers) in enumerate(moves(topology, tables, hops.following, places)):
        source = state[switches, columns] if by_choice else first_held + hops.number[switches, columns]
        edge = np.stack((source, state[peers, columns]))
        edges.append(edge[:, edge[1] != NOBODY])
    sources, targets = np.concatenate(edges, axis=1)
    cycle = directed_cycle(sources, targets, first_held + len(hops.channels) + int(places.sum()))
    return [channels[vertex] for vertex in cycle if vertex < len(channels)]


def _check_turns(topology: Topology, tables: Tables) -> None:
    """Refuse routes that lead back over the link of a choice."""
    _, *by_port = moves(topology, tables, next_switch(topology, tables), used(topology, tables))
    for port, (switches, columns, peers) in enumerate(by_port):
        back = np.flatnonzero(tables.out[peers, columns] == topology.peer_port[switches, port])
        if len(back):
            switch, peer, node = switches[back[0]], peers[back[0]], tables.nodes[columns[back[0]]]
            raise DeadlockError(
                f"{topology.name}: a choice at switch {switch} leads packets to node {node} to switch {peer}, whose "
                "route leads back; with switch.u_turn = false they would be dropped there; use switch.u_turn = true"
            )


def _check_steps(topology: Topology, tables: Tables, vcs: int) -> None:
    """Refuse paths of routes and choices with more links than there are VCs."""
    following = next_switch(topology, tables)
    at = np.zeros(following.shape, np.bool_)
    at[topology.node_switch] = True
    for _ in range(vcs):
        reached = np.zeros_like(at)
        for _, columns, peers in moves(topology, tables, following, at):
            reached[peers, columns] = True
        at = reached
    lost = np.argwhere(at & (following != NOBODY))
    if len(lost):
        switch, column = lost[0]
        raise DeadlockError(
            f"{topology.name}: VCs count the links that a packet has taken, and packets to node "
            f"{tables.nodes[column]} can be at switch {switch} after {vcs}, where they would be dropped; use more VCs, "
            'or shortest paths (routing.kind = "minimal", routing.vc_classes = "none")'
        )
