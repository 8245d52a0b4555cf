"""Tables for Boxfish, which shows tori: space-separated rows under YAML headers, and a file that lists the tables.

The format is that of Boxfish's user guide, "File Format": `meta.yaml` with the hardware, `nodes.yaml` and `links.yaml`
with rows of their figures by identifier, chunk after chunk, and `ranks.yaml`, where ranks are. Open `meta.yaml`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from models.errors import TsujiError
from sim.files.output_file import write_output
from sim.plot.recorded import Recorded
from sim.plot.view_figures import FIGURES
from sim.topology.base import NOBODY
from sim.topology.torus import Grid

NAMES = {"power": "power_w", "utilisation": "utilisation", "lpi": "lpi_share"}
LETTERS = "abcdefghijkl"  # names of dimensions, if there are not three
KEY = "TSUJI"


def write_boxfish(recorded: Recorded, folder: Path) -> None:
    """Write the tables.

    Columns of a node, which is a switch with its coordinates, and of a link, which has those of its two switches:
    `chunk`, `start_us`, `power_w`, `utilisation`, `lpi_share`.

    Parameters
    ----------
    recorded : Recorded
        Record with the columns of all figures, of links and switches.
    folder : Path
        Output folder; created if it does not exist.

    Raises
    ------
    TsujiError
        If the network is no torus or mesh of one plane, or a file cannot be written.
    """
    topology = recorded.topology
    if not isinstance(topology, Grid) or recorded.planes > 1:
        name = recorded.about["topology"]["name"]
        raise TsujiError(f"--boxfish {folder}: {name}: must be a torus or mesh of one plane, as Boxfish shows no other")
    dimensions = len(topology.radix)
    axes = "xyz" if dimensions == len("xyz") else LETTERS[:dimensions]
    _frames, _links = recorded.links["mean_w"].shape
    inside = np.flatnonzero(recorded.ends["to_switch"] != NOBODY)
    source, target = recorded.ends["switch"][inside], recorded.ends["to_switch"][inside]
    switches = np.arange(topology.switches)
    nodes_head = ["nodeid", *axes]
    links_head = ["linkid", *(f"s{axis}" for axis in axes), *(f"t{axis}" for axis in axes)]
    links_rows = np.column_stack((inside, topology.coordinates[source], topology.coordinates[target]))
    _table(folder / "nodes.yaml", recorded, nodes_head, np.column_stack((switches, topology.coordinates)), "switches")
    _table(folder / "links.yaml", recorded, links_head, links_rows, "links", inside)
    ranks = recorded.rank_nodes()
    if ranks:
        here = recorded.about["topology"]["node_switch"]
        rows = "".join(f"{rank} {here[node]}\n" for rank, node in enumerate(ranks))
        write_output(folder / "ranks.yaml", _head([("mpirank", "int32"), ("nodeid", "int32")]) + rows)
    write_output(folder / "meta.yaml", _meta(recorded, axes, topology.radix, bool(ranks)))


def _head(columns: list[tuple[str, str]]) -> str:
    """Return the header of a table."""
    listed = "".join(f"- [{name}, {kind}]\n" for name, kind in columns)
    return f"---\nkey: {KEY}\n---\n{listed}...\n"


def _table(
    path: Path, recorded: Recorded, head: list[str], rows: np.ndarray, of: str, chosen: np.ndarray | None = None
) -> None:
    """Write the rows of all frames."""
    columns = [(name, "int32") for name in [*head, "chunk"]] + [("start_us", "float64")]
    columns += [(NAMES[name], "float32") for name in FIGURES]
    values = getattr(recorded, of)
    parts = [_head(columns)]
    fixed = [" ".join(map(str, row)) for row in rows.tolist()]
    for frame, start in enumerate(recorded.start_ns):
        shown = np.column_stack([values[figure.column][frame] for figure in FIGURES.values()])
        shown = shown if chosen is None else shown[chosen]
        at = f"{frame} {start / 1000:.10g}"
        for left, row in zip(fixed, shown.tolist(), strict=True):
            parts.append(f"{left} {at} {' '.join(f'{value:.6g}' for value in row)}\n")
    write_output(path, "".join(parts))


def _meta(recorded: Recorded, axes: str, radix: tuple[int, ...], ranks: bool) -> str:
    """Return the file that names the others."""

    def mapping(values: Any) -> str:
        return "{" + ", ".join(f"{axis}: {value}" for axis, value in zip(axes, values, strict=True)) + "}"

    documents = [
        f"key: {KEY}\nauthor: tsuji {recorded.about['version']}\n"
        "hardware: {\n  network: torus,\n"
        f"  nodes: {recorded.topology.switches},\n"
        f"  coords: [{', '.join(axes)}],\n  coords_table: nodes.yaml,\n  dim: {mapping(radix)},\n"
        f"  source_coords: {mapping(f's{axis}' for axis in axes)},\n"
        f"  destination_coords: {mapping(f't{axis}' for axis in axes)},\n"
        "  link_coords_table: links.yaml\n  }\n",
        "filetype: table\nfilename: nodes.yaml\ndomain: HW\ntype: NODE\nfield: nodeid\nflags: 0\n",
        "filetype: table\nfilename: links.yaml\ndomain: HW\ntype: LINK\nfield: linkid\nflags: 0\n",
        "filetype: projection\ntype: node link\nnode_policy: Source\nlink_policy: Source\nsubdomain:\n"
        "- { domain: HW, type: NODE, field: nodeid }\n- { domain: HW, type: LINK, field: linkid }\nflags: 0\n",
    ]
    if ranks:
        documents.append(
            "filetype: projection\ntype: file\nfilename: ranks.yaml\nsubdomain:\n"
            "- { domain: HW, type: NODE, field: nodeid }\n- { domain: COMM, type: RANK, field: mpirank }\nflags: 0\n"
        )
    return "".join(f"---\n{document}" for document in documents) + "...\n"
