"""Traffic by a user's matrix of rates between nodes, from a file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np

from models.errors import TsujiError
from models.params.config_file import ConfigPath
from sim.topology.base import Int64, Topology
from sim.traffic.pattern import PATTERNS, Chooser, Float, Pattern, without_own
from sim.traffic.sizes import PacketSizes, Sizes
from sim.traffic.table_file import read_table
from sim.traffic.table_sizes import TableSizes


@PATTERNS.enter
class Matrix(Pattern):
    """Destinations, relative rates and, where the file has them, packet sizes of the nodes from a file.

    Weights are relative rates of packets: the node with the greatest sum of weights sends `traffic.load` divided by the
    mean packet size, every other node proportionally less. A weight of a node to itself is a share of its load that is
    not sent.

    Parameters
    ----------
    matrix : Path
        File (format: `read_table`), relative to the configuration file that names it.
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
        weights = read_table(self.matrix, nodes).weights(nodes)
        # A row of cumulated shares ends with its node's share of the busiest node's load; the rest is not sent.
        limits = np.cumsum(weights, axis=1)
        flat = (limits / limits.max() + 2.0 * np.arange(nodes)[:, None]).ravel()

        def matrix_destinations(rng: np.random.Generator, sources: Int64) -> Int64:
            place = np.searchsorted(flat, rng.random(len(sources)) + 2.0 * sources, side="right")
            destination = place - sources * nodes
            return np.where(destination < nodes, destination, sources)

        return matrix_destinations

    def sizes(self, topology: Topology, given: Sizes) -> PacketSizes:
        """Return the sizes of the file, or those given if it has none."""
        table = read_table(self.matrix, topology.nodes)
        if table.size is None:
            return given
        if key := next(iter(sorted(given.model_fields_set)), None):
            raise TsujiError(
                f"traffic.{key} = {getattr(given, key)}: traffic.matrix = {self.matrix} has sizes; leave it out"
            )
        return TableSizes(topology.nodes, table.source, table.destination, table.weight, table.size)

    def demand(self, topology: Topology) -> Float:
        """Return the flits of each pair relative to the packets of the node that sends most [N, N]."""
        table, nodes = read_table(self.matrix, topology.nodes), topology.nodes
        most = table.weights(nodes).sum(axis=1).max()
        if table.size is None:
            return without_own(table.weights(nodes) / most)
        sizes = TableSizes(nodes, table.source, table.destination, table.weight, table.size)
        flits = table._replace(weight=table.weight * table.size).weights(nodes)
        return without_own(flits / sizes.mean / most)
