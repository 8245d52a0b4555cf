"""The files of the energy account for views: figures of each link and switch, frame by frame.

`--power-file FILE.parquet` of `tsuji run`, `mpi` and `replay` writes FILE.parquet, one row per chunk and link, and
FILE.switches.parquet, one row per chunk and switch (docs/how_to/power.md). Chunks are joined to frames while they are
read, so that memory does not grow with the length of a run.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.power.read import PowerFile
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.family import FAMILIES

FRAMES = 500  # most frames by default
ENDS = ("switch", "port", "to_switch", "to_port", "to_node", "dimension", "direction")

Values = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Recorded:
    """Recorded figures of links and switches.

    Attributes
    ----------
    about : dict
        Metadata of the file: workload, configuration, topology, node of each rank.
    topology : Topology
        Topology of a plane.
    start_ns, end_ns : array [F]
        Begin and end of each frame.
    ends : dict of str to array [L]
        `switch`, `port`, `to_switch`, `to_port`, `to_node`, `dimension`, `direction` of each link; -1, for `direction`
        0, if it has none.
    links, switches : dict of str to array [F, L], [F, S]
        Columns of the files, means over each frame.
    """

    about: dict[str, Any]
    topology: Topology
    start_ns: NDArray[np.float64]
    end_ns: NDArray[np.float64]
    ends: dict[str, Int64]
    links: dict[str, Values]
    switches: dict[str, Values]

    @property
    def planes(self) -> int:
        """Planes of the network."""
        return int(self.about["topology"]["planes"])

    @property
    def title(self) -> str:
        """Workload and network."""
        ran = ", ".join(Path(each).name for each in self.about["source"]) or self._pattern
        return f"{ran} on {self.about['topology']['name']}" if ran else str(self.about["topology"]["name"])

    @property
    def _pattern(self) -> str:
        """Traffic pattern."""
        traffic = self.about["config"].get("traffic", {})
        return str(traffic.get("pattern") or ", ".join(each["name"] for each in traffic.get("classes", [])))

    @property
    def edges_ns(self) -> NDArray[np.float64]:
        """Times between frames [F + 1]."""
        return np.append(self.start_ns, self.end_ns[-1])

    def frame_at(self, ns: float) -> int:
        """Return the frame that contains a time; the last frame for the end of the run.

        Raises
        ------
        TsujiError
            If it is outside the run.
        """
        if not self.start_ns[0] <= ns <= self.end_ns[-1]:
            raise TsujiError(f"--at {ns:g}: must be from {self.start_ns[0]:g} to {self.end_ns[-1]:g} ns, as the run is")
        return int(np.searchsorted(self.start_ns, ns, side="right")) - 1

    def rank_nodes(self) -> list[int]:
        """Return the node of each rank; None without ranks."""
        return list(self.about["rank_nodes"] or [])


def read_recorded(
    path: Path, links: Iterable[str] = (), switches: Iterable[str] = (), frames: int = FRAMES
) -> Recorded:
    """Read columns of the files of an energy account.

    Parameters
    ----------
    path : Path
        FILE.parquet or FILE.switches.parquet.
    links, switches : iterable of str
        Names of the columns to read of each.
    frames : int
        Most frames; if there are more chunks, several are joined into one frame.

    Raises
    ------
    TsujiError
        If a file cannot be read, or is not a file of the energy account.
    """
    if frames < 1:
        raise TsujiError(f"--frames {frames}: must be at least 1")
    if path.is_dir():
        raise TsujiError(f"{path}: is a folder; expected FILE.parquet that a run wrote with --power-file FILE.parquet")
    file = PowerFile(path)
    path, about, of_links, of_switches = file.path, file.metadata, file.link_rows, file.switch_rows
    if of_links.metadata.num_rows == 0:
        raise TsujiError(f"{path}: no chunk of time is in it: the run was too short, or moved nothing")
    if file.broken_off:
        warnings.warn(f"{path}: of a broken-off run, {file.broken_off}: what it has ends there", stacklevel=2)
    ends = _ends(of_links)
    start, end, of_link = _frames(path, of_links, links, frames)
    _, _, of_switch = _frames(path, of_switches, switches, frames)
    return Recorded(about, _topology(about, ends), start, end, ends, of_link, of_switch)


def _ends(file: pq.ParquetFile) -> dict[str, Int64]:
    """Return both ends of each link."""
    table = file.read_row_group(0, columns=["chunk", *ENDS])
    count = int((table["chunk"].to_numpy() == table["chunk"][0].as_py()).sum())
    first = table.slice(0, count)
    return {
        name: np.array(first[name].fill_null(0 if name == "direction" else NOBODY).to_numpy(), np.int64)
        for name in ENDS
    }


def _frames(
    path: Path, file: pq.ParquetFile, columns: Iterable[str], frames: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, Values]]:
    """Return the beginning and end of frames [F], and columns [F, links or switches]."""
    wanted = list(columns)
    if missing := [name for name in wanted if name not in file.schema_arrow.names]:
        raise TsujiError(f"{path}: has no column {missing[0]}")
    first = file.read_row_group(0, columns=["chunk"])["chunk"].to_numpy()
    rows = int((first == first[0]).sum())
    chunks = file.metadata.num_rows // rows
    joined = -(-chunks // frames)
    count = -(-chunks // joined)
    start, end = np.full(count, np.inf), np.zeros(count)
    lasted = np.zeros(count)
    sums = {name: np.zeros((count, rows)) for name in wanted}
    chunk = 0
    for group in range(file.num_row_groups):
        table = file.read_row_group(group, columns=["start_ns", "end_ns", *wanted])
        begins, finishes = (table[name].to_numpy()[::rows] for name in ("start_ns", "end_ns"))
        frame = (chunk + np.arange(len(begins))) // joined
        np.minimum.at(start, frame, begins)
        np.maximum.at(end, frame, finishes)
        np.add.at(lasted, frame, finishes - begins)
        for name in wanted:
            values = table[name].to_numpy().reshape(-1, rows)
            np.add.at(sums[name], frame, values * (finishes - begins)[:, None])
        chunk += len(begins)
    return start, end, {name: (total / lasted[:, None]).astype(np.float32) for name, total in sums.items()}


def _topology(about: dict[str, Any], ends: dict[str, Int64]) -> Topology:
    """Return the topology of a plane: built by its family if that needs no file, else from its links."""
    said = about["topology"]
    section = dict(about["config"].get("topology", {}))
    kind = section.pop("kind", said["kind"])
    if kind in FAMILIES.names() and section and not section.get("file"):
        return FAMILIES.get(kind)(**section).build()
    count = said["switches"] // said["planes"]
    own = (ends["to_switch"] != NOBODY) & (ends["switch"] < count)
    switch, port, peer, peer_port = (ends[name][own] for name in ("switch", "port", "to_switch", "to_port"))
    nodes = np.array(said["node_switch"], np.int64)[: said["nodes"]]
    ports = int(port.max(initial=-1)) + 1
    local = np.array([(nodes[:node] == nodes[node]).sum() for node in range(len(nodes))], np.int64)
    shape = count, ports + int(local.max(initial=0)) + 1
    peer_switch, peer_of_port = np.full(shape, NOBODY), np.full(shape, NOBODY)
    peer_switch[switch, port], peer_of_port[switch, port] = peer, peer_port
    return Topology(
        name=said["name"],
        peer_switch=peer_switch,
        peer_port=peer_of_port,
        node_switch=nodes,
        node_port=ports + local,
        addresses=np.arange(len(nodes)),
        coordinates=np.array(said["coordinates"], np.int64)[:count],
        positions=None if said["positions"] is None else np.array(said["positions"])[:count],
    )
