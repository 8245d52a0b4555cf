"""Tables of cables: CSV, with or without a row of column names."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from models.errors import TsujiError
from sim.topology.cable_cycles import TIMES
from sim.topology.graph_formats.arcs import listed_from_either_end
from sim.topology.graph_formats.cables import COLUMNS
from sim.topology.graph_formats.format import FORMATS, GraphFormat, add_cable, in_number_order
from sim.topology.units import number_of

if TYPE_CHECKING:
    import networkx as nx

ENDS = {
    "source": "target",
    "src": "dst",
    "from": "to",
    "node1": "node2",
    "switch1": "switch2",
    "start": "end",
    ":start_id": ":end_id",
}
DELIMITERS = (",", ";", "\t")
NAMED = {*TIMES, "weight"}
_UNIT = re.compile(r"(.+?)\s*[(\[](.+?)[)\]]")


@FORMATS.enter
class CsvTable(GraphFormat):
    """One cable per row; comma, semicolon or tab between the columns.

    The first row names the columns if it has a pair of `ENDS`, or an attribute behind two other names; other columns
    are attributes, whose units may be in parentheses. Without names the columns are two switches, latency and
    interval. # begins a comment. Rows may name every cable from both its ends.
    """

    kind: ClassVar[str] = "csv"
    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".tsv")

    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph."""
        import networkx as nx

        graph: nx.MultiDiGraph = nx.MultiDiGraph()
        first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
        delimiter = max(DELIMITERS, key=first.count)
        rows = csv.reader(text.splitlines(), delimiter=delimiter, skipinitialspace=True, strict=True)
        names: list[str] | None = None
        try:
            for row in rows:
                cells = [cell.strip() for cell in row]
                if not any(cells) or cells[0].startswith("#"):
                    continue
                place = f"{path}:{rows.line_num}"
                if names is None:
                    names = _names(cells)
                    if names:
                        _check_names(names, place)
                        continue
                    names = ["source", "target", *COLUMNS]
                _cable(graph, names, cells, place)
        except csv.Error as error:
            raise TsujiError(f"{path}:{rows.line_num}: not CSV: {error}") from error
        return in_number_order(listed_from_either_end(graph, str(path)))


def _names(cells: list[str]) -> list[str]:
    """Return the names of the columns, its ends named source and target; empty if the row names none."""
    lower = [cell if cell in NAMED else cell.replace(_split(cell)[0], _split(cell)[0].lower(), 1) for cell in cells]
    for one, other in ENDS.items():
        if one in lower and other in lower:
            return ["source" if name == one else "target" if name == other else name for name in lower]
    if any(_split(name)[0] in NAMED for name in lower[2:]):
        return ["source", "target", *lower[2:]]
    return []


def _check_names(names: list[str], place: str) -> None:
    """Refuse two columns of one name, units apart."""
    alone = [_split(name)[0] for name in names]
    twice = next((name for name in alone if name and alone.count(name) > 1), None)
    if twice:
        raise TsujiError(f"{place}: two columns {twice}; leave one out")


def _split(name: str) -> tuple[str, str]:
    """Return a column's name without its unit, and the unit: of `latency (ns)` latency and ns."""
    match = _UNIT.fullmatch(name)
    return (match[1], match[2]) if match else (name, "")


def _cable(graph: nx.MultiDiGraph, names: list[str], cells: list[str], place: str) -> None:
    """Add the cable of a row."""
    if len(cells) > len(names):
        raise TsujiError(f"{place}: {len(cells)} columns; must be {', '.join(names)}; a first row can name others")
    row = {name: cell for name, cell in zip(names, cells, strict=False) if cell}
    ends = row.pop("source", ""), row.pop("target", "")
    if not all(ends):
        raise TsujiError(f"{place}: {', '.join(cells)}: lacks one of its two switches")
    row.pop("place", None)
    attributes = {}
    for column, cell in row.items():
        name, unit = _split(column)
        attributes[name] = f"{cell}{unit}" if unit and name in NAMED else number_of(cell)
    add_cable(graph, ends[0], ends[1], place, **attributes)
