"""BookSim2's topologies and routing functions as networks of ours: family, routes and numbering of nodes.

Source: networks/ and routefunc.cpp of https://github.com/booksim/booksim2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from models.params.parts import MAX_PORTS
from sim.booksim import anynet, dragonfly
from sim.booksim.settings import Settings
from sim.routing.base import Tables
from sim.topology.base import Topology
from sim.topology.torus import MAX_SWITCHES

MOST_PATHS = 256
MOST_ADDRESSES = 1 << 16
MOST_ROUTES = 1 << 28  # one byte each, and one more for its VC


@dataclass(frozen=True)
class Net:
    """One of BookSim2's networks.

    Attributes
    ----------
    topology : dict
        Our section [topology].
    switch : dict
        Keys of [switch] that its routes need.
    routing : dict
        Our section [routing].
    latency : int
        Cycles of a link.
    least_vcs : int
        Fewest VCs.
    order : tuple of int
        Our node number of each of BookSim2's nodes; empty: the same.
    routes : callable or None
        Called with topology and number of VCs, returns the tables; None: as `routing` says.
    notes : tuple of str
        Known differences from BookSim2.
    for_peer : tuple of str
        Overrides for BookSim2 itself.
    """

    topology: dict[str, Any]
    switch: dict[str, Any]
    routing: dict[str, Any] = field(default_factory=dict)
    latency: int = 1
    least_vcs: int = 1
    order: tuple[int, ...] = ()
    routes: Callable[[Topology, int], Tables] | None = None
    notes: tuple[str, ...] = ()
    for_peer: tuple[str, ...] = ()


TABLES = {"routing": "linear"}
XY_YX = "xy_yx"


def net(given: Settings) -> Net:
    """Return the network that settings name.

    Raises
    ------
    TsujiError
        If a value is not supported; the message names place, key, value and what is allowed.
    """
    kind = given.word("topology")
    if kind not in _NETS:
        raise given.refuse("topology", f"must be one of {', '.join(_NETS)}")
    make, routings = _NETS[kind]
    if given.word("routing_function") not in routings:
        allowed = routings[0] if len(routings) == 1 else f"one of {', '.join(routings)}"
        raise given.refuse("routing_function", f"must be {allowed} on {kind}")
    return make(given)


def _cube(given: Settings) -> Net:
    """Return a torus or mesh; a mesh of two switches per dimension has switches with half as many ports."""
    k, n = _size(given)
    wrap = given.word("topology") == "torus"
    coins = n if wrap and k % 2 == 0 else 0
    tags = {"tag_width": max(16, n * (k - 1).bit_length() + coins)}
    if given.word("routing_function") == XY_YX and n != 2:
        raise given.refuse("n", "must be 2 with routing_function = xy_yx")
    if not wrap and k == 2 and given.word("routing_function") != XY_YX:
        return Net({"kind": "hypercube", "dimensions": n}, {"routing": "hypercube", **tags})
    switch, routing = _orders(given, k**n, 1)
    return Net(
        topology={"kind": "torus" if wrap else "mesh", "radix": [k] * n},
        switch=switch | tags,
        routing=routing | ({"kind": "dimension_order", "ties": "random"} if coins else {}),
        latency=2 if wrap and _noc(given) else 1,
        least_vcs=2 if routing or (wrap and k > 3) else 1,
    )


def _cmesh(given: Settings) -> Net:
    """Return a mesh with 2×2 nodes per switch, without express channels, which these routing functions do not use."""
    k, n = _size(given)
    if n != 2:
        raise given.refuse("n", "must be 2 on cmesh")
    if given.integer("c", 1) != 4:
        raise given.refuse("c", "must be 4 on cmesh")
    _square(given, "xr", "yr", 2)
    _square(given, "x", "y")
    switch, routing = _orders(given, k * k, 4)
    return Net(
        topology={"kind": "mesh", "radix": [k, k], "locals": 4},
        switch=switch | {"tag_width": max(16, 2 * (k - 1).bit_length() + 2)},
        routing=routing,
        least_vcs=2 if routing else 1,
        latency=2 if _noc(given) else 1,
        order=_blocks(k, k, 2),
    )


def _flatfly(given: Settings) -> Net:
    """Return a flattened butterfly; with use_noc_latency, latency grows with the length of a cable."""
    k, n = _size(given)
    side = _square(given, "xr", "yr")
    if n > 4:
        raise given.refuse("n", "must be 1 to 4 on flatfly")
    rows = _square(given, "x", "y")
    if rows * rows != k**n:
        raise given.refuse("x", f"x · y must be {k}^{n}, the number of routers, on flatfly")
    if _noc(given) and n % 2:
        raise given.refuse("n", "must be even on flatfly with use_noc_latency: no dimension may go round corners")
    if given.integer("c", 1) != side * side:
        raise given.refuse("c", f"must be xr · yr = {side * side} on flatfly")
    if n * (k - 1) + side * side > MAX_PORTS:
        raise given.refuse("k", f"{n * (k - 1) + side * side} ports per router; at most {MAX_PORTS}")
    turns = given.word("routing_function") == "xyyx"
    _check_tables(given, k**n, k**n * side * side * (1 + turns))
    topology: dict[str, Any] = {"kind": "hyperx", "radix": [k] * n, "locals": side * side}
    latency = 1
    if _noc(given):
        if side > 3:
            raise given.refuse("xr", "nodes 2 and more cycles away from their router are not modelled; at most 3")
        # Distance in a dimension is the number of routers between in a row, or in a column, of the square.
        steps = [side * k ** (d % (n // 2)) for d in range(n)]
        latency = side
        topology |= {"latencies": [step - side for step in steps], "passing_latencies": steps}
    routing = {"kind": "o1turn" if turns else "dimension_order"}
    return Net(topology, TABLES, routing, latency, 2 if turns else 1, _blocks(rows, rows, side))


def _fat_tree(given: Settings) -> Net:
    """Return a k-ary n-tree; every switch draws the port up at random."""
    k, n = _size(given)
    if 2 * k > MAX_PORTS:
        raise given.refuse("k", f"{2 * k} ports per router; at most {MAX_PORTS}")
    ways = k ** (n - 1)
    if n * k ** (n - 1) > MAX_SWITCHES:
        raise given.refuse("n", f"{n * k ** (n - 1)} routers; at most {MAX_SWITCHES}")
    _check_tables(given, n * ways, k**n)
    most = min(MOST_PATHS, MOST_ADDRESSES // k**n, MOST_ROUTES // (n * ways * k**n))
    paths = max(ways // k**less for less in range(n) if ways // k**less <= most)
    few = f"of {ways} ways up a packet has {paths} to draw from" if paths < ways else ""
    return Net(
        topology={"kind": "fat_tree", "arity": k, "levels": n},
        switch=TABLES,
        routing={"kind": "random_up", "paths": paths},
        notes=(few,) if few else (),
    )


def _fly(given: Settings) -> Net:
    """Return one router with k nodes: a fat tree of one level."""
    k, n = _size(given)
    if n != 1:
        raise given.refuse("n", "must be 1 on fly: links between its stages lead one way")
    if 2 * k > MAX_PORTS:
        raise given.refuse("k", f"at most {MAX_PORTS // 2} nodes")
    return Net({"kind": "fat_tree", "arity": k, "levels": 1}, TABLES, {"kind": "up_down"})


def _dragonfly(given: Settings) -> Net:
    """Return a balanced dragonfly with k nodes per router."""
    k = given.integer("k", 1)
    if given.integer("n", 1) != 1:
        raise given.refuse("n", "must be 1 on dragonflynew")
    if 4 * k - 1 > MAX_PORTS:
        raise given.refuse("k", f"{4 * k - 1} ports per router; at most {MAX_PORTS}")
    routers = 2 * k * (2 * k * k + 1)
    _check_tables(given, routers, dragonfly.PATHS * k * routers)
    local, between = dragonfly.CYCLES
    topology = {"kind": "dragonfly", "group_switches": 2 * k, "global_links": k, "locals": k}
    topology["latencies"] = [0, between - local]
    entries = {"table_entries": 1 << (dragonfly.PATHS * k * routers - 1).bit_length()}
    return Net(topology, TABLES | entries, {"kind": "dragonfly"}, local, least_vcs=2, routes=dragonfly.routes)


def _anynet(given: Settings) -> Net:
    """Return the network of an anynet file."""
    found = anynet.read(given)
    anynet.check_for_our_switches(found, str(anynet.locate(given)))
    unused = {"kind": "minimal", "vc_classes": "none"}
    path = f"network_file={anynet.locate(given)}"
    return Net(found.topology, TABLES, unused, found.shortest, 1, found.order, found.routes, found.notes, (path,))


def _orders(given: Settings, routers: int, nodes: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return keys of [switch] and [routing] for one order of a mesh's dimensions, or for one drawn per packet."""
    if given.word("routing_function").startswith(XY_YX):
        _check_tables(given, routers, 2 * routers * nodes)
        return TABLES, {"kind": "o1turn"}
    return {"routing": "dimension_order"}, {}


def _size(given: Settings) -> tuple[int, int]:
    """Return k and n."""
    k, n = given.integer("k", 2), given.integer("n", 1, 12)
    if k**n > MAX_SWITCHES:
        raise given.refuse("k", f"{k} to the power of n = {n} are {k**n} nodes; at most {MAX_SWITCHES}")
    return k, n


def _noc(given: Settings) -> bool:
    return bool(given.integer("use_noc_latency", 0, 1))


def _check_tables(given: Settings, routers: int, addresses: int) -> None:
    """Refuse a network whose routes would not fit in the tables."""
    if addresses > MOST_ADDRESSES or routers * addresses > MOST_ROUTES:
        raise given.refuse(
            "k",
            f"{routers} routers and {addresses} addresses of nodes; at most {MOST_ADDRESSES} addresses, and "
            f"{MOST_ROUTES} routes in all",
        )


def _square(given: Settings, first: str, second: str, size: int | None = None) -> int:
    """Return the value of two keys, which must be equal, and equal to `value` if that is given."""
    value = given.integer(first, 1)
    for key in (first, second):
        if given.integer(key, 1) != (value if size is None else size):
            raise given.refuse(key, f"must be {f'{first} = {value}' if size is None else size} here")
    return value


def _blocks(columns: int, rows: int, side: int) -> tuple[int, ...]:
    """Return our node number at each place of a grid in which each square of side · side nodes is one router's."""
    y, x = np.divmod(np.arange(columns * rows * side * side), columns * side)
    router = y // side * columns + x // side
    return tuple((router * side * side + y % side * side + x % side).tolist())


_NETS: dict[str, tuple[Callable[[Settings], Net], tuple[str, ...]]] = {
    "mesh": (_cube, ("dor", "dim_order", XY_YX)),
    "torus": (_cube, ("dim_order",)),
    "cmesh": (_cmesh, ("dor_no_express", f"{XY_YX}_no_express")),
    "flatfly": (_flatfly, ("ran_min", "xyyx")),
    "fattree": (_fat_tree, ("nca",)),
    "fly": (_fly, ("dest_tag",)),
    "dragonflynew": (_dragonfly, ("min",)),
    "anynet": (_anynet, ("min",)),
}
