"""Entries that the routes of a network need in the tables of its switches, with exact and with ternary match."""

from __future__ import annotations

from typing import NamedTuple

from models.errors import TsujiError
from sim.config import Config
from sim.routing.adaptive import with_choices
from sim.routing.ternary_entries import ternary_entries, with_ternary_addresses


class TableEntries(NamedTuple):
    """Entries per switch.

    Attributes
    ----------
    exact : int
        Most entries of a switch with one entry per address.
    ternary : int
        Most entries of a switch with one entry per group of addresses.
    ternary_mean : float
        Mean of these over all switches.
    switch : int
        The first switch that has most.
    """

    exact: int
    ternary: int
    ternary_mean: float
    switch: int


def table_entries(config: Config) -> TableEntries:
    """Return the entries that the routes of a configuration need; of several planes, those of the first.

    Raises
    ------
    TsujiError
        If switches compute the routes.
    """
    switch = config.switch
    if not switch.programmed:
        raise TsujiError(f'switch.routing = "{switch.routing}": switches compute routes; only tables have entries')
    topology = config.networks.topologies()[0]
    topology = with_ternary_addresses(topology.with_node_ports(switch.node_ports))
    tables = config.routes.tables(topology, switch.escape_vcs)
    if switch.selects:
        tables = with_choices(topology, tables, switch)
    counts = ternary_entries(topology, tables).per_switch(topology.switches)
    exact = int(tables.found.sum(axis=1).max())
    return TableEntries(exact, int(counts.max()), float(counts.mean()), int(counts.argmax()))
