"""Programs routes into the tables of a network's switches, as a switch manager does through the CAM's port."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from models.errors import TsujiError
from models.jit.bits import count_trailing_zeros
from models.jit.compiled import compiled_noinline
from models.params import SwitchParams
from models.route.linear_table import write_entry
from models.state.registers import SwitchState
from models.state.route_word import route_word
from sim.engine.state import NOBODY, Engine
from sim.lib.progress import steps
from sim.packets import Int64
from sim.routing.base import BLOCK, Tables
from sim.routing.ternary_entries import tags_of, ternary_entries
from sim.topology.base import Topology

LINE = 32  # entries of a cache line: routes are by destination, tables by switch
# The uncompiled function: called once for all routes instead of once for each.
WORD_OF_ARRAYS: Any = getattr(route_word, "py_func", route_word)


def program_tables(e: Engine, params: SwitchParams, topology: Topology, tables: Tables) -> None:
    """Write routes, which have been checked (`Tables.checked`), into every switch's table.

    Raises
    ------
    TsujiError
        If a route leads to an unconnected port, or the nodes do not fit the table.
    """
    state = e.switches
    tags = tags_of(topology, tables)
    _check_tags(params, topology, tables, tags)
    wired = ((e.link != NOBODY) << np.arange(e.link.shape[1])).sum(axis=1)
    columns = 0
    parts = list(tables.parts(max(1, BLOCK // topology.switches)))
    for part in steps("programming tables", parts):
        place = _write_routes(
            state,
            wired,
            *part.by_column(),
            tags[columns : columns + part.out.shape[1]],
            params.ternary,
        )
        if place != NOBODY:
            _refuse(part, wired, *divmod(place, part.out.shape[1]))
        columns += part.out.shape[1]
    if params.ternary:
        _program_ternary(state, params, topology, tables)


@compiled_noinline
def _write_routes(
    st: SwitchState,
    wired: np.ndarray,
    out: np.ndarray,
    vc_first: np.ndarray,
    vc_last: np.ndarray,
    found: np.ndarray,
    choices: np.ndarray,
    tags: np.ndarray,
    ternary: bool,
) -> int:
    """Write routes [C, S] into tables, unless ternary; return switch · C + column of a loose port, or NOBODY.

    `wired` [S] masks the connected ports.
    """
    columns, switches = out.shape
    for first in range(0, columns, LINE):
        for s in range(switches):
            for column in range(first, min(first + LINE, columns)):
                if not found[column, s]:
                    continue
                port = int(out[column, s])
                chosen = choices[column, s] if len(choices) else 0
                if not wired[s] >> port & 1 or chosen & ~wired[s]:
                    return int(s * columns + column)
                if ternary:
                    continue
                number = tags[column] & st.k.table_mask
                word = route_word(port, int(vc_first[column, s]), int(vc_last[column, s]), 0, chosen)
                if st.k.table:
                    st.table_tag[s, number] = tags[column]
                write_entry(st, s, number, 1, word)
    return NOBODY


def _refuse(part: Tables, wired: Int64, switch: int, column: int) -> NoReturn:
    """Refuse a route or a choice of an unconnected port."""
    node, port = part.nodes[column], int(part.out[switch, column])
    if not wired[switch] >> port & 1:
        raise TsujiError(f"route at switch {switch} to node {node}: port {port} is not connected")
    assert part.choices is not None
    port = count_trailing_zeros(int(part.choices[switch, column] & ~wired[switch]))
    raise TsujiError(f"choice at switch {switch} to node {node}: port {port} is not connected")


def _check_tags(params: SwitchParams, topology: Topology, tables: Tables, tags: Int64) -> None:
    """Refuse tags that do not fit the table."""
    if params.ternary:
        return
    size = params.programmed_entries
    entries = tags & (size - 1)
    if len(np.unique(entries)) != len(entries) or (params.linear and (entries != tags).any()):
        several = "" if tables.paths == 1 else f" with {tables.paths} addresses each"
        raise TsujiError(
            f"{'cam.entries' if params.has_cam else 'switch.table_entries'} = {size}: {topology.nodes} "
            f"nodes{several} do not fit; use a power of two of at least {int(tags.max()) + 1}"
        )


def _program_ternary(state: SwitchState, params: SwitchParams, topology: Topology, tables: Tables) -> None:
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
    at, route = (entries.switch, entries.number), (entries.switch, entries.column)
    fields = (field[route].astype(np.int64) for field in (tables.out, tables.vc_first, tables.vc_last))
    state.table_tag[at], state.compared[at] = entries.tag, entries.mask
    state.table_route[at] = WORD_OF_ARRAYS(*fields, 0)
    if params.selects and tables.choices is not None:
        state.table_choices[at] = tables.choices[route]
