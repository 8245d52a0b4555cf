"""Files of power over time: one row per chunk and link, one row per chunk and switch (docs/how_to/power.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sim.files.growing_table import GrowingTable
from sim.packets import Int64
from sim.power.account import ChunkPower, PowerFigures
from sim.power.file_names import switches_file
from sim.power.meter import LPI, STATES, Meter, Reading
from sim.topology.base import NOBODY, Topology

KEY, SUMMARY = "tsuji", "tsuji_summary"  # of the metadata
FORMAT = 1


def describe(topology: Topology, config: Mapping[str, Any], planes: int) -> dict[str, Any]:
    """Return a topology as plain values, with its section of the configuration."""
    family = config["topology"]
    return {
        "name": topology.name,
        "kind": family["kind"],
        "radix": family.get("radix"),
        "wrap": getattr(topology, "wrap", None),
        "switches": topology.switches,
        "nodes": topology.nodes,
        "planes": planes,
        "coordinates": topology.coordinates.tolist(),
        "positions": None if topology.positions is None else topology.positions.tolist(),
        "node_switch": topology.node_switch.tolist(),
    }


class ChunkFiles:
    """Writes both files.

    Parameters
    ----------
    path : Path
        File of the links, Parquet or CSV.
    meter : Meter
    cycle_ns : float
    metadata : mapping
        Metadata of the run: config, source and so on.

    Raises
    ------
    TsujiError
        If the name has another ending, or a file cannot be written.
    """

    def __init__(self, path: Path, meter: Meter, cycle_ns: float, metadata: Mapping[str, Any]) -> None:
        about = {KEY: json.dumps(metadata, ensure_ascii=False)}
        self._links_file = GrowingTable(path, about, csv=True)
        self._switches_file = GrowingTable(switches_file(path), about, csv=True)
        self._links = links = meter.links
        self._switches = meter.topology.switches
        self._cycle_ns = cycle_ns
        self._number = 0
        self._begin: int | None = None
        self._count = np.bincount(links.switch, minlength=self._switches)
        self._fixed = {
            "switch": pa.array(links.switch, pa.int32()),
            "port": pa.array(links.port, pa.int16()),
            "to_switch": _gaps(links.to_switch, pa.int32()),
            "to_port": _gaps(np.where(links.to_switch == NOBODY, NOBODY, links.to_port), pa.int16()),
            "to_node": _gaps(links.to_node, pa.int32()),
            "plane": pa.array(links.plane, pa.int16()),
            "dimension": _gaps(links.dimension, pa.int8()),
            "direction": pa.array(links.direction, pa.int8(), mask=links.direction == 0),
        }
        plane = np.zeros(self._switches, np.int64)
        plane[links.switch] = links.plane
        self._fixed_of_switches = {
            "switch": pa.array(np.arange(self._switches), pa.int32()),
            "plane": pa.array(plane, pa.int16()),
            "links": pa.array(self._count, pa.int16()),
        }

    def write(self, chunk: Reading, power: ChunkPower) -> None:
        """Write the rows of a chunk."""
        links, cycles = self._links, chunk.cycles
        lpi_share = chunk.states[:, LPI] / cycles
        utilisation = chunk.busy / cycles
        counted = {"flits": chunk.flits, "wakes": chunk.wakes, "wake_delay_cycles": chunk.wake_delays}
        self._links_file.append({
            **self._time(chunk, len(links)),
            **self._fixed,
            **{f"{name}_cycles": chunk.states[:, k] for k, name in enumerate(STATES)},
            **counted,
            "lpi_share": lpi_share,
            "utilisation": utilisation,
            "mean_w": power.links,
        })  # fmt: skip
        each = np.maximum(1, self._count)
        self._switches_file.append({
            **self._time(chunk, self._switches),
            **self._fixed_of_switches,
            "lpi_share": self._sum(lpi_share) / each,
            "utilisation": self._sum(utilisation) / each,
            **{name: self._sum(values).astype(np.int64) for name, values in counted.items()},
            "base_w": power.base,
            "links_w": power.links_of_switch,
            "cache_w": power.cache,
            "cam_w": power.cam,
            "mean_w": power.switches,
        })  # fmt: skip
        self._number += 1

    def close(self, figures: PowerFigures) -> None:
        """Finish both files."""
        footer = {SUMMARY: json.dumps(figures._asdict())}
        self._links_file.close(footer)
        self._switches_file.close(footer)

    def break_off(self, why: str) -> list[Path]:
        """Close the files of a run that does not reach its end; return the paths of those that have rows."""
        return [path for file in (self._links_file, self._switches_file) if (path := file.break_off(why))]

    def _time(self, chunk: Reading, rows: int) -> dict[str, Any]:
        """Return the columns with number and times of a chunk."""
        if self._begin is None:
            self._begin = chunk.begin
        return {
            "chunk": pa.array(np.full(rows, self._number), pa.int32()),
            "start_ns": np.full(rows, (chunk.begin - self._begin) * self._cycle_ns),
            "end_ns": np.full(rows, (chunk.end - self._begin) * self._cycle_ns),
        }

    def _sum(self, values: np.ndarray) -> np.ndarray:
        """Return the sums over the ports of each switch."""
        return np.bincount(self._links.switch, values, self._switches)


def metadata_of(
    meter: Meter,
    config: Mapping[str, Any],
    power: Mapping[str, Any],
    cycle_ns: float,
    chunk_cycles: int,
    source: list[str],
    rank_nodes: Int64 | None,
) -> dict[str, Any]:
    """Return the metadata that the files hold of their run."""
    planes = int(meter.links.plane.max()) + 1 if len(meter.links) else 1
    return {
        "format": "power",
        "format_version": FORMAT,
        "version": version("tsuji"),
        "source": source,
        "config": config,
        "cycle_ns": cycle_ns,
        "chunk_cycles": chunk_cycles,
        "power": power,
        "states": list(STATES),
        "topology": describe(meter.topology, config, planes),
        "rank_nodes": None if rank_nodes is None else rank_nodes.tolist(),
    }


def _gaps(values: Int64, kind: pa.DataType) -> pa.Array:
    """Return a column with null in place of NOBODY."""
    return pa.array(values, kind, mask=values == NOBODY)
