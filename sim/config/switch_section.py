"""The switch of a network: the sections of one switch; keys that follow from the topology are filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from models.errors import TsujiError
from models.params import CamParams, SwitchParams
from models.params.config_file import SWITCH_SECTIONS, Table, switch_params
from models.params.parts import MAX_ENTRIES, MAX_NODE_PORTS
from sim.routing.base import Algorithm
from sim.routing.ternary_entries import with_ternary_addresses
from sim.topology.base import Topology
from sim.topology.computed import ComputedTopology
from sim.topology.hyper_crossbar import HyperCrossbar
from sim.topology.torus import Grid

PROGRAMMED = ("table", "linear")  # switch.routing without coordinates


def switch_of(table: Table, topology: Topology, routing: Algorithm) -> SwitchParams:
    """Return the switch of a network; omitted keys that follow from the topology are filled in.

    Parameters
    ----------
    table : Table
        All sections of the configuration.
    topology : Topology
        Topology of the network; the first of several planes.
    routing : Algorithm
        Routing algorithm, which computes routes or writes tables.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names place, key, value and what is allowed.
    """
    given = table.get("switch", {})
    computed = given.get("routing", "table") not in PROGRAMMED
    topology = _with_node_ports(topology, given)
    follows = _following(table, topology, routing, computed)
    _check_following(table, follows, topology)
    sections = {**table, "switch": {**given, **follows}}
    _size_tags(table, sections, topology, routing, computed)
    _size_tables(table, sections, topology, routing)
    _adapt(table, sections, topology, routing, computed)
    _number_straight_ports(table, sections, topology)
    sections = {name: sections[name] for name in SWITCH_SECTIONS if name in sections}
    switch = switch_params(Table(sections, table.origins))
    if 0 < switch.counter_width < 32:
        raise TsujiError(
            f"{table.origin('switch.counter_width')}switch.counter_width = {switch.counter_width}: would wrap in a "
            "simulation; must be 0 (no cache figures) or 32 to 64"
        )
    return switch


def _adapt(
    table: Table, sections: Table | dict[str, Any], topology: Topology, routing: Algorithm, computed: bool
) -> None:
    """Fill in the parameters of adaptive routing by tables that depend on the topology."""
    adaptive = table.get("adaptive", {})
    if "adaptive" not in table or computed:
        return
    if adaptive.get("kind", "escape") == "escape":
        sections["adaptive"] = {"escape_vcs": routing.least_vcs(topology), **adaptive}
    else:
        locals_ = topology.node_port
        sections["switch"] = {"network_ports": int(locals_.min()), **sections["switch"]}


def _whole(value: Any) -> int | None:
    """Return the integer that an integer field makes of a value, 2 of 2.0; None if the field refuses it."""
    try:
        return TypeAdapter(int).validate_python(value)
    except ValidationError:
        return None


def _entries(topology: Topology, routing: Algorithm) -> int:
    """Return the number of entries of a table of all nodes' addresses, a power of two."""
    per_node = routing.addresses_per_node(topology)
    addresses = topology.nodes * per_node
    if addresses > MAX_ENTRIES:
        several = f" of {per_node} addresses" if addresses > topology.nodes else ""
        raise TsujiError(
            f"[topology]: {topology.name} has {topology.nodes} nodes{several}; the largest table holds {MAX_ENTRIES}"
        )
    return max(2, 1 << (addresses - 1).bit_length())


def _with_node_ports(topology: Topology, given: Mapping[str, Any]) -> Topology:
    """Return the topology with `switch.node_ports` ports per node; invalid numbers are refused with the switch."""
    node_ports = _whole(given.get("node_ports", 1))
    if node_ports is not None and 2 <= node_ports <= MAX_NODE_PORTS:
        return topology.with_node_ports(node_ports)
    return topology


def _following(table: Table, topology: Topology, routing: Algorithm, computed: bool) -> dict[str, Any]:
    """Return the keys of [switch] that follow from the topology and, if routes are computed, from the routing.

    Raises
    ------
    TsujiError
        If switch.routing cannot compute the topology's routes.
    """
    follows: dict[str, Any] = {"ports": topology.ports}
    if not computed:
        if topology.node_ports > 1:
            follows["network_ports"] = topology.network_ports
        return follows
    asked = table["switch"]["routing"]
    if not isinstance(topology, ComputedTopology) or topology.routing != asked:
        fits = f' or "{topology.routing}"' if isinstance(topology, ComputedTopology) else ""
        raise TsujiError(
            f'{table.origin("switch.routing")}switch.routing = "{asked}": {topology.name} takes "table", "linear"{fits}'
        )
    follows |= topology.computed_params | routing.computed_params(topology)
    if isinstance(topology, HyperCrossbar):
        follows["ports"] = topology.exchanger_ports
    return follows


def _check_following(table: Table, follows: Mapping[str, Any], topology: Topology) -> None:
    """Refuse given keys of [switch] that contradict the topology."""
    given = table.get("switch", {})
    for key, value in follows.items():
        said = given.get(key, value)
        if (tuple(said) if isinstance(value, tuple) and isinstance(said, list) else said) != value:
            needing = f'routing.ties = "{value}"' if key == "ties" else topology.name
            raise TsujiError(
                f"{table.origin(f'switch.{key}')}switch.{key} = {given[key]}: {needing} needs "
                f"{'none' if value is None else value}; leave it out"
            )


def _size_tags(table: Table, sections: dict[str, Any], topology: Topology, routing: Algorithm, computed: bool) -> None:
    """Fill in the width of tags, which the highest address needs; refuse a given one that is too small."""
    if table.get("cam", {}).get("match") == "ternary" and not computed:
        addressed = with_ternary_addresses(topology).addresses
    else:
        addressed = (
            topology.coordinate_tags if computed and isinstance(topology, ComputedTopology) else topology.addresses
        )
    highest = (int(addressed.max()) + 1) * routing.addresses_per_node(topology) - 1
    least = SwitchParams.model_fields["tag_width"].default
    given = _whole(table.get("switch", {}).get("tag_width", least))
    if "tag_width" not in table.get("switch", {}):
        sections["switch"]["tag_width"] = max(least, highest.bit_length())
    elif given is not None and given >= least and highest >> given:  # a field refuses narrower ones
        raise TsujiError(
            f"{table.origin('switch.tag_width')}switch.tag_width = {given}: the highest address of {topology.name} is "
            f"{highest}; use at least {highest.bit_length()}, or leave it out"
        )


def _size_tables(table: Table, sections: dict[str, Any], topology: Topology, routing: Algorithm) -> None:
    """Fill in the number of entries of tables of all nodes' addresses."""
    kind = table.get("switch", {}).get("routing", "table")
    cam = table.get("cam", {})
    if kind == "table" and "entries" not in cam and cam.get("match") != "ternary":
        default = CamParams.model_fields["entries"].default
        sections["cam"] = {**cam, "entries": max(default, _entries(topology, routing))}
    if kind == "linear":
        sections["switch"].setdefault("table_entries", _entries(topology, routing))


def _number_straight_ports(table: Table, sections: dict[str, Any], topology: Topology) -> None:
    """Fill in the number of ports for which static prediction names the port straight on."""
    prediction = table.get("prediction", {})
    if prediction.get("kind") == "static" and isinstance(topology, Grid):
        sections["prediction"] = {"straight_ports": 2 * len(topology.radix), **prediction}
