"""Mapping of a job's ranks to nodes: from a file, or by a strategy."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.config import Config
from sim.topology.base import Topology
from sim.topology.coordinates import CoordinateTopology

Nodes = NDArray[np.int64]
STRATEGIES = ("linear", "blocked", "round_robin", "random:SEED", "coordinates:DIMENSIONS")


def mapped(text: str, ranks: int, config: Config) -> Nodes:
    """Return the node of each rank, as `text` says, on the network of a configuration.

    See `mapping`; a node takes at most one rank per network interface.
    """
    interfaces = 1 if config.workload is None else config.workload.interfaces
    return mapping(text, ranks, config.networks.topologies()[0], interfaces)


def mapping(text: str, ranks: int, topology: Topology, interfaces: int = 1) -> Nodes:
    """Return the node of each rank.

    Parameters
    ----------
    text : str
        A file with one node per line, that of rank 0 first (`#` begins a comment), or a strategy: `linear`: rank k on
        node k mod nodes, so that every node gets a rank before any gets a second; `blocked`: consecutive ranks fill a
        node, one per interface, before the next node; `round_robin`: one rank on a node of each switch in turn, then on
        the next node of each; `random:SEED`: on nodes drawn without repetition; `coordinates:2,0,1`: nodes in order of
        coordinates, dimension 2 running fastest, then 0, then 1.
    ranks : int
        Number of ranks.
    topology : Topology
        Topology of the network.
    interfaces : int
        Most ranks per node.

    Raises
    ------
    TsujiError
        If `text` is no strategy or file, names a missing node, or puts more ranks on a node than it has interfaces.
    """
    name, _, details = text.partition(":")
    nodes = topology.nodes
    if ranks > nodes * interfaces:
        raise TsujiError(f"{ranks} ranks: {nodes} nodes of {interfaces} network interface{'s'[: interfaces > 1]} take "
                         f"{nodes * interfaces}")  # fmt: skip
    if name == "linear" and not details:
        return np.arange(ranks) % nodes
    if name == "blocked" and not details:
        return np.arange(ranks) // interfaces
    if name == "round_robin" and not details:
        return _repeated(_by_turns(topology), ranks)
    if name == "random":
        order = list(range(nodes))
        random.Random(_number(text, details)).shuffle(order)
        return _repeated(np.array(order, np.int64), ranks)
    if name == "coordinates":
        return _repeated(_by_coordinates(text, details, topology), ranks)
    return _from_file(Path(text), ranks, nodes, interfaces)


def _repeated(order: Nodes, ranks: int) -> Nodes:
    return order[np.arange(ranks) % len(order)]


def _number(text: str, details: str) -> int:
    try:
        return int(details)
    except ValueError:
        raise TsujiError(f"mapping {text}: expected random:SEED, such as random:1") from None


def _by_turns(topology: Topology) -> Nodes:
    """Return nodes in this order: the first of each switch, the second of each, and so on."""
    seen = np.zeros(topology.switches, np.int64)
    turn = np.empty(topology.nodes, np.int64)
    for node, switch in enumerate(topology.node_switch):
        turn[node] = seen[switch]
        seen[switch] += 1
    return np.lexsort((np.arange(topology.nodes), turn))


def _by_coordinates(text: str, details: str, topology: Topology) -> Nodes:
    """Return nodes in order of the coordinates of their switches."""
    if not isinstance(topology, CoordinateTopology):
        raise TsujiError(f"mapping {text}: {topology.name} has no coordinates")
    coordinates = topology.coordinates[topology.node_switch]
    dimensions = coordinates.shape[1]
    order = details.split(",") if details else [str(each) for each in range(dimensions)]
    if sorted(order) != sorted(str(each) for each in range(dimensions)):
        raise TsujiError(f"mapping {text}: must name each dimension from 0 to {dimensions - 1} once, as in 2,0,1")
    keys = tuple(coordinates[:, int(each)] for each in order)
    return np.lexsort((np.arange(topology.nodes), *keys))


def _from_file(path: Path, ranks: int, nodes: int, interfaces: int) -> Nodes:
    if not path.is_file():
        raise TsujiError(f"mapping {path}: neither a file nor one of {', '.join(STRATEGIES)}")
    found: list[int] = []
    taken: dict[int, list[int]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            node = int(text)
        except ValueError:
            node = -1
        if not 0 <= node < nodes:
            raise TsujiError(f"{path}:{number}: `{text}`: expected a node from 0 to {nodes - 1}")
        taken.setdefault(node, []).append(number)
        if len(taken[node]) > interfaces:
            before = ", ".join(map(str, taken[node][:-1]))
            raise TsujiError(
                f"{path}:{number}: node {node} again, after line {before}: it has {interfaces} network "
                f"interface{'s' if interfaces > 1 else ''}"
            )
        found.append(node)
    if len(found) != ranks:
        raise TsujiError(f"{path}: {len(found)} nodes: expected {ranks}, one per rank")
    return np.array(found, np.int64)
