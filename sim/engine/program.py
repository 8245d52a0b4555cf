"""Programs routes into the tables of a network's switches, as a switch manager does through the CAM's port."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.errors import TsujiError
from models.jit.bits import count_trailing_zeros
from models.params import SwitchParams
from models.state.route_word import route_word
from sim.engine.state import NOBODY, Engine
from sim.routing.base import Tables
from sim.topology.base import Topology

# The uncompiled function: called once for all routes instead of once for each.
WORD_OF_ARRAYS: Any = getattr(route_word, "py_func", route_word)


def program_tables(e: Engine, params: SwitchParams, topology: Topology, tables: Tables) -> None:
    """Write routes, which have been checked (`Tables.checked`), into every switch's table.

    Raises
    ------
    TsujiError
        If a route leads to an unconnected port, or the nodes do not fit the table.
    """
    out, found = tables.out, tables.found
    unconnected = found & (np.take_along_axis(e.link, np.where(found, out, 0), axis=1) == NOBODY)
    if unconnected.any():
        s, column = np.argwhere(unconnected)[0]
        raise TsujiError(f"route at switch {s} to node {tables.nodes[column]}: port {out[s, column]} is not connected")
    state = e.switches
    tags = (topology.addresses[:, None] * tables.paths + np.arange(tables.paths)).ravel()
    size = params.programmed_entries
    entries = tags & (size - 1)
    if len(np.unique(entries)) != len(entries) or (params.linear and (entries != tags).any()):
        several = "" if tables.paths == 1 else f" with {tables.paths} addresses each"
        raise TsujiError(
            f"{'cam.entries' if params.has_cam else 'switch.table_entries'} = {size}: {topology.nodes} "
            f"nodes{several} do not fit; use a power of two of at least {int(tags.max()) + 1}"
        )
    choices = np.zeros(out.shape, np.int64) if tables.choices is None else tables.choices
    wired = ((e.link != NOBODY) << np.arange(topology.ports)).sum(axis=1)
    if (loose := np.where(found, choices & ~wired[:, None], 0)).any():
        s, column = np.argwhere(loose)[0]
        port = count_trailing_zeros(int(loose[s, column]))
        raise TsujiError(f"choice at switch {s} to node {tables.nodes[column]}: port {port} is not connected")
    fields = (out, tables.vc_first, tables.vc_last)
    words = WORD_OF_ARRAYS(*(field.astype(np.int64) for field in fields), 0, choices)
    for s in range(topology.switches):
        columns = np.flatnonzero(found[s])
        table: Any = state.table[s]
        table.tag[entries[columns]] = tags[columns]
        table.route[entries[columns]] = words[s, columns]
        table.found[entries[columns]] = 1
