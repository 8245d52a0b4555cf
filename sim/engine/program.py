"""Programs routes into the tables of a network's switches, as a switch manager does through the CAM's port."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.errors import TsujiError
from models.jit.bits import count_trailing_zeros
from models.params import SwitchParams
from models.state.registers import SwitchState
from models.state.route_word import route_word
from sim.engine.state import NOBODY, Engine
from sim.packets import Int64
from sim.routing.base import Tables
from sim.routing.ternary_entries import tags_of, ternary_entries
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
    tags = tags_of(topology, tables)
    size = params.programmed_entries
    choices = np.zeros(out.shape, np.int64) if tables.choices is None else tables.choices
    _check_choices(e, topology, tables, choices)
    fields = (out, tables.vc_first, tables.vc_last)
    words = WORD_OF_ARRAYS(*(field.astype(np.int64) for field in fields), 0, choices)
    if params.ternary:
        _program_ternary(state, params, topology, tables, words)
        return
    entries = tags & (size - 1)
    if len(np.unique(entries)) != len(entries) or (params.linear and (entries != tags).any()):
        several = "" if tables.paths == 1 else f" with {tables.paths} addresses each"
        raise TsujiError(
            f"{'cam.entries' if params.has_cam else 'switch.table_entries'} = {size}: {topology.nodes} "
            f"nodes{several} do not fit; use a power of two of at least {int(tags.max()) + 1}"
        )
    for s in range(topology.switches):
        columns = np.flatnonzero(found[s])
        table: Any = state.table[s]
        table.tag[entries[columns]] = tags[columns]
        table.route[entries[columns]] = words[s, columns]
        table.found[entries[columns]] = 1


def _check_choices(e: Engine, topology: Topology, tables: Tables, choices: Int64) -> None:
    """Refuse choices of unconnected ports."""
    wired = ((e.link != NOBODY) << np.arange(topology.ports)).sum(axis=1)
    if (loose := np.where(tables.found, choices & ~wired[:, None], 0)).any():
        s, column = np.argwhere(loose)[0]
        port = count_trailing_zeros(int(loose[s, column]))
        raise TsujiError(f"choice at switch {s} to node {tables.nodes[column]}: port {port} is not connected")


def _program_ternary(
    state: SwitchState, params: SwitchParams, topology: Topology, tables: Tables, words: Int64
) -> None:
    """Write aggregated routes into ternary tables, longest match first."""
    if (highest := int(tags_of(topology, tables).max())) >> params.tag_width:
        raise TsujiError(
            f"switch.tag_width = {params.tag_width}: the highest address is {highest}; "
            f"use at least {highest.bit_length()}"
        )
    entries = ternary_entries(topology, tables)
    counts = entries.per_switch(topology.switches)
    s = int(counts.argmax())
    if (most := int(counts[s])) > params.cam.entries:
        raise TsujiError(
            f"cam.entries = {params.cam.entries}: switch {s} needs {most} ternary entries; use a power of two of at "
            f"least {1 << (most - 1).bit_length()}"
        )
    table: Any = state.table
    at = entries.switch, entries.number
    table.tag[at], table.found[at] = entries.tag, 1
    table.route[at] = words[entries.switch, entries.column]
    state.compared[at] = entries.mask
