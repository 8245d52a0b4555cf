"""Traffic by a user's matrix of rates between nodes, from a file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from models.params.config_file import ConfigPath
from sim.topology.base import Int64, Topology
from sim.traffic.pattern import PATTERNS, Chooser, Float, Pattern, without_own


@PATTERNS.enter
class Matrix(Pattern):
    """Destinations and relative rates of the nodes from a file.

    Weights are relative: the node with the greatest sum of weights offers `traffic.load`, every other node
    proportionally less. A weight of a node to itself is a share of its load that is not sent.

    Parameters
    ----------
    matrix : Path
        File (format: `read_matrix`), relative to the configuration file that names it.
    """

    kind: ClassVar[str] = "matrix"
    matrix: ConfigPath

    @property
    def files(self) -> tuple[Path, ...]:
        """The file of the matrix."""
        return (self.matrix,)

    def chooser(self, topology: Topology) -> Chooser:
        """Return the chooser, which draws a destination per packet."""
        nodes = topology.nodes
        weights = read_matrix(self.matrix, nodes)
        # A row of cumulated shares ends with its node's share of the busiest node's load; the rest is not sent.
        limits = np.cumsum(weights, axis=1)
        flat = (limits / limits.max() + 2.0 * np.arange(nodes)[:, None]).ravel()

        def matrix_destinations(rng: np.random.Generator, sources: Int64) -> Int64:
            place = np.searchsorted(flat, rng.random(len(sources)) + 2.0 * sources, side="right")
            destination = place - sources * nodes
            return np.where(destination < nodes, destination, sources)

        return matrix_destinations

    def demand(self, topology: Topology) -> Float:
        """Return the weights relative to the sum of the node that sends most [N, N]."""
        weights = read_matrix(self.matrix, topology.nodes)
        return without_own(weights / weights.sum(axis=1).max())


def read_matrix(path: Path, nodes: int) -> NDArray[np.float64]:
    """Return the weights of a file [source, destination], none negative, at least one above 0.

    A line is a row of the matrix, N weights; or, if all lines have three numbers, `source destination weight` (other
    weights are 0; repeated pairs add up). With three nodes, three lines of three numbers are a matrix. Numbers are
    separated by commas, semicolons or blanks; `#` begins a comment.

    Raises
    ------
    TsujiError
        If the file is invalid; the message names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise TsujiError(f"traffic.matrix: {path}: cannot be read: {reason}") from error
    rows: list[tuple[str, list[float]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].replace(",", " ").replace(";", " ").split()
        if words:
            place = f"traffic.matrix: {path}:{number}"
            rows.append((place, [_weight(place, word) for word in words]))
    triples = all(len(row) == 3 for _, row in rows) and not (nodes == 3 and len(rows) == 3)
    weights = _from_triples(rows, nodes) if triples and rows else _from_rows(path, rows, nodes)
    if not (weights * (1 - np.eye(nodes))).any():
        raise TsujiError(f"traffic.matrix: {path}: no node has a weight above 0 to another; nobody would send anything")
    return weights


def _weight(place: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError as error:
        raise TsujiError(f"{place}: {word!r} is not a number") from error
    if not 0 <= value < float("inf"):
        raise TsujiError(f"{place}: {word}: must be a number of at least 0")
    return value


def _from_rows(path: Path, rows: list[tuple[str, list[float]]], nodes: int) -> NDArray[np.float64]:
    for place, row in rows:
        if len(row) != nodes:
            raise TsujiError(
                f"{place}: {len(row)} numbers; a row has a weight for each of the {nodes} nodes, or every line is "
                "`source destination weight`"
            )
    if len(rows) != nodes:
        raise TsujiError(f"traffic.matrix: {path}: {len(rows)} rows; there must be one for each of the {nodes} nodes")
    return np.array([row for _, row in rows])


def _from_triples(rows: list[tuple[str, list[float]]], nodes: int) -> NDArray[np.float64]:
    weights = np.zeros((nodes, nodes))
    for place, (source, destination, weight) in rows:
        for node in (source, destination):
            if node not in range(nodes):
                raise TsujiError(f"{place}: {node:g} is no node; nodes are 0 to {nodes - 1}")
        weights[int(source), int(destination)] += weight
    return weights
