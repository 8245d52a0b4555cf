"""BookSim2's topologies and routing functions, for its own router."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from models.booksim.iq_state import Shape
from sim.booksim import anynet, router_wiring, router_wiring_flat
from sim.booksim.router_wiring import Wiring
from sim.booksim.routing_functions import FUNCTIONS
from sim.booksim.settings import Settings

MOST_NODES = 65536
MOST_PORTS = 256
WHOLE = "num_vcs"


@dataclass(frozen=True)
class RouterNet:
    """One of BookSim2's networks, for its own router; its fields are those of `RouterPlan`."""

    wiring: Wiring
    shape: Shape
    notes: tuple[str, ...] = ()
    for_peer: tuple[str, ...] = ()


def net(given: Settings, ranges: list[tuple[int, int]]) -> RouterNet:
    """Return the network that settings name; `ranges` are the VCs of each type of packet.

    Raises
    ------
    TsujiError
        If a value is not supported; the message names place, key, value and what is allowed.
    """
    kind = given.word("topology")
    if kind not in FUNCTIONS:
        raise given.refuse("topology", f"must be one of {', '.join(FUNCTIONS)}")
    functions = FUNCTIONS[kind]
    name = given.word("routing_function")
    if name not in functions:
        several = "one of " if len(functions) > 1 else ""
        raise given.refuse("routing_function", f"must be {several}{', '.join(functions)} on {kind}")
    function, least = functions[name]
    found = _MAKERS[kind](given)
    nodes, k = len(found.wiring.nodes), found.shape.k
    fewest = least if isinstance(least, int) else {"nodes": nodes, "k": k, "2k": 2 * k}[least]
    if min(last - first + 1 for first, last in ranges) < fewest:
        raise given.refuse(WHOLE, f"must be at least {fewest} for each type of packet with routing_function = {name}")
    if kind == "dragonflynew" and name == "ugal" and given.integer(WHOLE, 1) != fewest:
        raise given.refuse(WHOLE, f"must be {fewest} with routing_function = ugal, as in BookSim2")
    first, last = (np.array(each) for each in zip(*ranges, strict=True))
    return replace(found, shape=found.shape._replace(function=function, nodes=nodes, first_vc=first, last_vc=last))


def _shape(k: int, n: int, **more: Any) -> Shape:
    """Return a shape whose routing function, nodes and VCs follow."""
    nothing = np.zeros(0, np.int64)
    base = Shape(0, k, n, 1, 1, 1, 0, nothing, nothing, np.zeros((0, 0), np.int16))
    return base._replace(**more)


def _size(given: Settings, least: int = 2) -> tuple[int, int]:
    """Return k and n."""
    k, n = given.integer("k", least), given.integer("n", 1, 16)
    if k**n > MOST_NODES:
        raise given.refuse("k", f"{k} to the power of n = {n} are {k**n} nodes; at most {MOST_NODES}")
    return k, n


def _noc(given: Settings) -> bool:
    return bool(given.integer("use_noc_latency", 0, 1))


def _cube(given: Settings) -> RouterNet:
    k, n = _size(given)
    torus = given.word("topology") == "torus"
    return RouterNet(router_wiring.cube(k, n, 2 if torus and _noc(given) else 1), _shape(k, n))


def _fly(given: Settings) -> RouterNet:
    k, n = _size(given)
    _check_ports(given, k)
    return RouterNet(router_wiring.fly(k, n), _shape(k, n))


def _fat_tree(given: Settings) -> RouterNet:
    k, n = _size(given)
    _check_ports(given, 2 * k)
    return RouterNet(router_wiring.fat_tree(k, n), _shape(k, n))


def _tree(given: Settings) -> RouterNet:
    """Return one of the two trees that BookSim2 builds in one size only."""
    kind = given.word("topology")
    for key, value in (("k", 4), ("n", 3)):
        if given.integer(key, 1) != value:
            raise given.refuse(key, f"must be {value} on {kind}, as in BookSim2, in which an assertion fails otherwise")
    return RouterNet(router_wiring.quad_tree() if kind == "qtree" else router_wiring.tree4(), _shape(4, 3))


def _cmesh(given: Settings) -> RouterNet:
    k, n = _size(given)
    for key, value, size in (("n", n, 2), ("c", given.integer("c", 1), 4), ("xr", given.integer("xr", 1), 2)):
        if value != size:
            raise given.refuse(key, f"must be {size} on cmesh: BookSim2's routing functions take no other")
    _check_square(given)
    if k % 2:
        raise given.refuse("k", "must be even on cmesh: express channels lead from one half of an edge to the other")
    return RouterNet(router_wiring_flat.concentrated_mesh(k, _noc(given)), _shape(k, n, c=4))


def _check_square(given: Settings) -> tuple[int, int]:
    """Return x and xr, which are equal to y and yr."""
    found = []
    for first, second in (("x", "y"), ("xr", "yr")):
        value = given.integer(first, 1)
        if given.integer(second, 1) != value:
            raise given.refuse(second, f"must be {first} = {value}: BookSim2 asserts {first} = {second}")
        found.append(value)
    return found[0], found[1]


def _flatfly(given: Settings) -> RouterNet:
    k, n = _size(given)
    if n > 4:
        raise given.refuse("n", "must be 1 to 4 on flatfly")
    columns, side = _check_square(given)
    c = given.integer("c", 1)
    if c != side * side:
        raise given.refuse("c", f"must be xr · yr = {side * side}: BookSim2 asserts c = xr · yr")
    if k**n % columns:
        raise given.refuse(
            "x",
            f"{k}^{n} = {k**n} routers are not whole rows of x = {columns}: BookSim2 numbers nodes outside its arrays, "
            "and crashes or prints figures of another network",
        )
    rows = k**n // columns
    told = f"x · y = {columns}·{columns}, but {k}^{n} = {k**n} routers: {rows} rows of {columns}, as in BookSim2"
    if given.word("routing_function") == "ugal_pni" and k != c:
        raise given.refuse("k", f"must be c = {c} with ugal_pni: BookSim2 asserts k = c")
    if k**n * c > MOST_NODES:
        raise given.refuse("k", f"{k**n * c} nodes; at most {MOST_NODES}")
    _check_ports(given, c + n * (k - 1))
    wiring = router_wiring_flat.flattened_butterfly(k, n, side, columns, _noc(given))
    notes = (told,) if rows != columns else ()
    return RouterNet(wiring, _shape(k, n, c=c, side=side, columns=columns), notes)


def _dragonfly(given: Settings) -> RouterNet:
    k = given.integer("k", 1)
    if given.integer("n", 1) != 1:
        raise given.refuse("n", "must be 1 on dragonflynew, as in BookSim2, in which an assertion fails otherwise")
    nodes = 2 * k * k * (2 * k * k + 1)
    if nodes > MOST_NODES:
        raise given.refuse("k", f"{nodes} nodes; at most {MOST_NODES}")
    return RouterNet(router_wiring_flat.dragonfly(k), _shape(k, 1))


def _anynet(given: Settings) -> RouterNet:
    """Return the network of an anynet file."""
    found = anynet.read(given)
    path = f"network_file={anynet.locate(given)}"
    wiring = router_wiring_flat.any_network(found)
    _check_ports(given, max(wiring.ports))
    ports = {(one, other): out for one, out, other, _, _ in wiring.channels}
    table = np.zeros((len(found.routers), len(found.router)), np.int16)
    for router in found.routers:
        hops = found.first_hops(router)
        for node, at in found.router.items():
            table[router, node] = wiring.nodes[node][3] if at == router else ports[router, int(hops[at])]
    return RouterNet(wiring, _shape(1, 1, table=table), found.notes, (path,))


def _check_ports(given: Settings, ports: int) -> None:
    if ports > MOST_PORTS:
        key = "network_file" if given.word("topology") == "anynet" else "k"
        raise given.refuse(key, f"{ports} ports per router; at most {MOST_PORTS}")


_MAKERS: dict[str, Callable[[Settings], RouterNet]] = {
    "mesh": _cube,
    "torus": _cube,
    "cmesh": _cmesh,
    "flatfly": _flatfly,
    "fattree": _fat_tree,
    "fly": _fly,
    "qtree": _tree,
    "tree4": _tree,
    "dragonflynew": _dragonfly,
    "anynet": _anynet,
}
