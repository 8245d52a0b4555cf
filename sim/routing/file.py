"""Routes from a file, as another program or `tsuji routes` wrote them."""

from __future__ import annotations

import csv
import re
import warnings
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from models.params.config_file import ConfigPath
from sim.files.compressed import ERRORS, open_plain
from sim.routing.base import ALGORITHMS, Algorithm, Tables
from sim.routing.paths import next_switch
from sim.topology.base import NOBODY, Int64, Topology

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("switch", "destination", "port")
VC_COLUMNS = ("vc_first", "vc_last")
MOST_ROUTES = 1 << 26
SHOWN = 8  # pairs of nodes in a message


def route_rows(tables: Tables) -> pd.DataFrame:
    """Return one row per route: switch, destination (a node), port, first and last VC.

    Raises
    ------
    TsujiError
        If packets between two nodes take several paths, or keep VCs that depend on their past.
    """
    import pandas as pd

    if tables.paths > 1 or tables.kept is not None:
        raise TsujiError(
            f"routing: {tables.paths} paths from node to node, of which packets draw one; a file holds one route per "
            "switch and destination"
        )
    switch, destination = np.nonzero(tables.found)
    values = (tables.out, tables.vc_first, tables.vc_last)
    named = dict(
        zip(("port", *VC_COLUMNS), (each[switch, destination].astype(np.int64) for each in values), strict=True)
    )
    return pd.DataFrame({"switch": switch, "destination": destination, **named})


@ALGORITHMS.enter
class FileRouting(Algorithm):
    """The routes of a table in a file.

    Its columns are `switch`, `destination` (a node), `port` and, for VC classes, `vc_first` and `vc_last`; without
    these, every route has all VCs. The route at a destination's own switch may be left out.

    Parameters
    ----------
    file : Path or None
        CSV, or Parquet if the name ends in .parquet; needed.
    """

    kind: ClassVar[str] = "file"
    file: ConfigPath | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The file of the routes."""
        return (self.file,) if self.file else ()

    @cached_property
    def _rows(self) -> dict[str, Int64]:
        """Columns of the file."""
        if self.file is None:
            raise TsujiError('routing.file is not set: routing.kind = "file" reads the routes from it')
        return _read(self.file)

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse a file that cannot be read, or that names a VC that there is not.

        Raises
        ------
        TsujiError
            If it does; the message names file and line.
        """
        last = self._rows.get("vc_last")
        if last is not None:
            for name in VC_COLUMNS:
                self._in_range(name, 0, vcs - 1, f"the network has VCs 0 to {vcs - 1}")
            first = self._rows["vc_first"]
            wrong = np.flatnonzero(last < first)
            if len(wrong):
                raise TsujiError(
                    f"{self._place(wrong[0])}: vc_last = {last[wrong[0]]}: is below vc_first = {first[wrong[0]]}"
                )

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes.

        Raises
        ------
        TsujiError
            If a route does not fit the network, or a node cannot reach another; the message names file and line.
        """
        self.check(topology, vcs)
        shape = topology.switches, topology.nodes
        for name, most in (("switch", shape[0] - 1), ("destination", shape[1] - 1), ("port", topology.ports - 1)):
            self._in_range(name, 0, most, f"{topology.name} has 0 to {most}")
        switch, destination, port = (self._rows[name] for name in COLUMNS)
        self._check_ends(topology)
        line = np.zeros(shape, np.int64)  # number of each route's row, from 1; 0 without a route
        line[switch, destination] = np.arange(1, len(switch) + 1)
        twice = np.flatnonzero(line[switch, destination] != np.arange(1, len(switch) + 1))
        if len(twice):
            again = line[switch[twice[0]], destination[twice[0]]] - 1
            raise TsujiError(
                f"{self._place(again)}: switch {switch[again]} has a route to node {destination[again]} already "
                f"({self._place(twice[0])})"
            )
        out, first, last = np.zeros(shape, np.int8), np.zeros(shape, np.int8), np.full(shape, vcs - 1, np.int8)
        out[switch, destination] = port
        if VC_COLUMNS[0] in self._rows:
            first[switch, destination], last[switch, destination] = (self._rows[name] for name in VC_COLUMNS)
        found = line > 0
        own = topology.node_switch, np.arange(topology.nodes)
        out[own] = np.where(found[own], out[own], topology.node_port)
        found[own] = True
        tables = Tables(out, first, last, found)
        self._check_arrival(topology, tables, line)
        return tables

    def _place(self, row: int) -> str:
        """Return the place of a row of the file."""
        assert self.file is not None
        return f"{self.file}: row {row}" if self.file.suffix == ".parquet" else f"{self.file}:{self._rows['line'][row]}"

    def _in_range(self, name: str, least: int, most: int, why: str) -> None:
        """Refuse values of a column outside a range."""
        values = self._rows[name]
        wrong = np.flatnonzero((values < least) | (values > most))
        if len(wrong):
            raise TsujiError(f"{self._place(wrong[0])}: {name} = {values[wrong[0]]}: {why}")

    def _check_ends(self, topology: Topology) -> None:
        """Refuse routes to a port with neither a switch nor the right node."""
        switch, destination, port = (self._rows[name] for name in COLUMNS)
        node = topology.port_node[switch, port]
        wrong = np.flatnonzero((topology.peer_switch[switch, port] == NOBODY) & (node != destination))
        if len(wrong):
            row = wrong[0]
            there = f"node {node[row]}" if node[row] != NOBODY else "nothing"
            raise TsujiError(
                f"{self._place(row)}: port {port[row]} of switch {switch[row]} leads to {there}, not to a switch or "
                f"node {destination[row]}"
            )

    def _check_arrival(self, topology: Topology, tables: Tables, line: Int64) -> None:
        """Refuse routes that lose packets or lead them round in circles."""
        following = next_switch(topology, tables)
        starts = np.unique(topology.node_switch)
        columns = np.arange(topology.nodes)
        at = np.repeat(starts[:, None], topology.nodes, axis=1)
        for _ in range(topology.switches):
            _refuse_lost(topology, self.file, starts, at, tables.found)
            ahead = following[at, columns]
            if (ahead == NOBODY).all():
                return
            at = np.where(ahead == NOBODY, at, ahead)
        row, column = np.argwhere(following[at, columns] != NOBODY)[0]
        switch = at[row, column]
        raise TsujiError(
            f"{self._place(line[switch, column] - 1)}: packets to node {column} go round in circles through switch "
            f"{switch}, by its port {tables.out[switch, column]}"
        )


def _refuse_lost(topology: Topology, file: Path | None, starts: Int64, at: Int64, found: NDArray[np.bool_]) -> None:
    """Refuse packets that come to a switch without a route to their destination."""
    lost = np.argwhere(~found[at, np.arange(topology.nodes)])
    if not len(lost):
        return
    sources = [int(np.flatnonzero(topology.node_switch == starts[row])[0]) for row, _ in lost[:SHOWN]]
    pairs = ", ".join(f"{source} → {column}" for source, (_, column) in zip(sources, lost, strict=False))
    row, column = lost[0]
    raise TsujiError(
        f"{file}: no route at switch {at[row, column]} to node {column}; packets are lost from node to node {pairs}"
        + (", …" if len(lost) > SHOWN else "")
    )


def _read(path: Path) -> dict[str, Int64]:
    """Return the columns of a file, and the line of each row.

    Raises
    ------
    TsujiError
        If it is no such table; the message names file, line and value.
    """
    import pandas as pd

    try:
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # rows longer than the header
                with open_plain(path) as stream:
                    table = pd.read_csv(
                        stream, dtype=str, quoting=csv.QUOTE_NONE, skip_blank_lines=False, index_col=False
                    )
    except ERRORS as error:
        raise TsujiError(
            f"routing.file = {path}: cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from error
    except pd.errors.ParserWarning as error:
        raise TsujiError(f"{path}:2: more columns than line 1 names") from error
    except (ValueError, UnicodeDecodeError, pd.errors.ParserError) as error:
        message = " ".join(str(error).split())
        line = re.search(r"\bline (\d+)", message)
        raise TsujiError(f"{path}{f':{line[1]}' if line else ''}: no table of routes: {message}") from error
    table.columns = [str(name).strip().lower() for name in table.columns]
    allowed = {*COLUMNS, *VC_COLUMNS}
    names = list(table.columns)
    if not set(COLUMNS) <= set(names) <= allowed or len(names) != len(set(names)) or len(names) == 4:
        raise TsujiError(
            f"{path}:1: columns {', '.join(names)}: must be {', '.join(COLUMNS)} and, if any, {', '.join(VC_COLUMNS)}"
        )
    table.insert(0, "line", np.arange(len(table)) + 2)
    table = table[table[names].notna().any(axis=1)]
    if len(table) > MOST_ROUTES:
        raise TsujiError(f"{path}: {len(table):,} routes; at most {MOST_ROUTES:,}")
    return {name: _whole(table[name], table["line"], path) for name in table.columns}


def _whole(column: pd.Series, line: pd.Series, path: Path) -> Int64:
    """Return a column as whole numbers."""
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers == np.floor(numbers)) & (np.abs(numbers) < 1 << 53)))
    if len(wrong):
        value = column.iloc[wrong[0]]
        given = "is missing" if pd.isna(value) else f"= {value}"
        raise TsujiError(f"{path}:{line.iloc[wrong[0]]}: {column.name} {given}: must be a whole number")
    found: Int64 = numbers.astype(np.int64)
    return found
