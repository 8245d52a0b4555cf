"""Traffic of links: over a whole replay, and chunk by chunk into a file while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sim.config.workload import flit_bytes
from sim.engine.network import Network
from sim.files.growing_table import GrowingTable
from sim.topology.base import NOBODY


class LinkTable:
    """Flits of links as rows: bytes, bandwidth, busy rate.

    Parameters
    ----------
    network : Network
    cycle_ns : float
        Length of a cycle.
    """

    def __init__(self, network: Network, cycle_ns: float) -> None:
        topology = network.topology
        self._used = (topology.peer_switch != NOBODY) | (topology.port_node != NOBODY)
        self._switch, self._port = np.nonzero(self._used)
        self._peer, self._node = topology.peer_switch[self._used], topology.port_node[self._used]
        self._flit_bytes = flit_bytes(network.params.data_width)
        self._cycle_ns = cycle_ns

    def columns(self, flits: np.ndarray, busy: np.ndarray, cycles: int, *, only_busy: bool = False) -> dict[str, Any]:
        """Return the columns of links that got `flits` [S, P, V] in `cycles` cycles and were `busy` [S, P] of them."""
        each = flits.sum(axis=2)[self._used]
        rows = np.flatnonzero(each + busy[self._used]) if only_busy else np.arange(len(each))
        each = each[rows]
        carried = each * self._flit_bytes
        return {
            "switch": self._switch[rows],
            "port": self._port[rows],
            "to_switch": pa.array(self._peer[rows], mask=self._peer[rows] == NOBODY),
            "to_node": pa.array(self._node[rows], mask=self._node[rows] == NOBODY),
            "bytes": carried,
            "bandwidth_gbs": carried / (max(cycles, 1) * self._cycle_ns),
            "busy": busy[self._used][rows] / max(cycles, 1),
        }

    def frame(self, flits: np.ndarray, busy: np.ndarray, cycles: int) -> pd.DataFrame:
        """Return a data frame of all links."""
        table: pd.DataFrame = pa.table(self.columns(flits, busy, cycles)).to_pandas(types_mapper=_nullable)
        return table


def _nullable(kind: pa.DataType) -> Any:
    """Return the data frame's type of a column that may have missing values."""
    return pd.Int64Dtype() if pa.types.is_integer(kind) else None


class LinkRecorder:
    """Writes the traffic of links, chunk by chunk; idle links are left out.

    Parameters
    ----------
    table : LinkTable
    path : Path
        The Parquet file.
    chunk : int
        Cycles.
    cycle_ns : float
    """

    every_chunk = False

    def __init__(self, table: LinkTable, path: Path, chunk: int, cycle_ns: float) -> None:
        self.chunk = chunk
        self._table = table
        self._file = GrowingTable(path)
        self._cycle_ns = cycle_ns
        self._before: tuple[Any, Any] = 0, 0  # flits and busy cycles of each link
        self._written = 0  # cycle until which the traffic is written

    def look(self, network: Network) -> None:
        """Write the chunk that ends now, if one does."""
        if network.cycle % self.chunk == 0:
            self._write(network, network.cycle - self.chunk)

    def finish(self, network: Network, end: int) -> None:
        """Write the last chunk."""
        self._write_rest(network)
        self._file.close()

    def break_off(self, network: Network, why: str) -> list[Path]:
        """Write the traffic until now, close the file and return its path."""
        self._write_rest(network)
        return [path] if (path := self._file.break_off(why)) else []

    def _write_rest(self, network: Network) -> None:
        """Write the chunk that has begun."""
        if network.cycle > self._written:
            self._write(network, (network.cycle - 1) // self.chunk * self.chunk)

    def _write(self, network: Network, begin: int) -> None:
        """Write the traffic since cycle `begin`."""
        cycles = network.cycle - begin
        flits, busy = network.flits_sent(), network.busy_cycles()
        columns = self._table.columns(flits - self._before[0], busy - self._before[1], cycles, only_busy=True)
        self._before = flits, busy
        rows = len(columns["switch"])
        time, length = np.full(rows, begin * self._cycle_ns), np.full(rows, cycles * self._cycle_ns)
        self._file.append({"time_ns": time, "duration_ns": length, **columns})
        self._written = network.cycle
