"""Reads files of the energy account: power over time, and JSON results with a member `power`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter, ValidationError

from models.errors import TsujiError
from sim.files.growing_table import broken_off
from sim.power.account import PowerFigures
from sim.power.chunk_files import FORMAT, KEY, SUMMARY
from sim.power.file_names import switches_file

SWITCHES = ".switches.parquet"
WRITE_ONE = "write one with --power-file FILE.parquet, an option of tsuji run, mpi and replay"
_FIGURES = TypeAdapter(PowerFigures)


class PowerFile:
    """A Parquet file of the power of links over time, and the file of switches that belongs to it.

    Parameters
    ----------
    path : Path
        File of links, or of switches.

    Attributes
    ----------
    link_rows, switch_rows : pyarrow.parquet.ParquetFile
        Both files, open.
    metadata : dict
        Metadata of the run: `config`, `topology`, `source`, `cycle_ns`, `chunk_cycles` and more.
    summary : dict
        Figures of the whole run; empty if the run did not end.
    broken_off : str or None
        What ended the run before its end, and when; None if it reached its end.

    Raises
    ------
    TsujiError
        If a file cannot be read, or is not a file of the energy account.
    """

    def __init__(self, path: Path) -> None:
        if path.name.endswith(SWITCHES):
            path = path.with_name(path.name.removesuffix(SWITCHES) + ".parquet")
        self.path = path
        self.link_rows = _opened(path)
        self.metadata = _metadata(path, self.link_rows)
        self.switch_rows = _opened(switches_file(path))
        self.broken_off = broken_off(self.link_rows)
        self.summary: dict[str, Any] = json.loads((self.link_rows.metadata.metadata or {}).get(SUMMARY.encode(), b"{}"))

    def links(self, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the rows of links, in groups of chunks."""
        for group in range(self.link_rows.num_row_groups):
            yield self.link_rows.read_row_group(group, columns).to_pandas()

    def switches(self, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the rows of switches, in groups of chunks."""
        for group in range(self.switch_rows.num_row_groups):
            yield self.switch_rows.read_row_group(group, columns).to_pandas()

    def over_time(self) -> pd.DataFrame:
        """Return the power of the network, one row per chunk: `chunk`, `start_ns`, `end_ns`, and power by cause, W."""
        watts = ["base_w", "links_w", "cache_w", "cam_w", "mean_w"]
        parts = [
            rows.groupby(["chunk", "start_ns", "end_ns"], as_index=False)[watts].sum()
            for rows in self.switches(["chunk", "start_ns", "end_ns", *watts])
        ]
        return pd.concat(parts, ignore_index=True)


@dataclass(frozen=True)
class PowerResult:
    """The energy account of one run.

    Attributes
    ----------
    label : str
        Label of the result: its T_lt, or the file's name.
    t_lt_ns : float, "never", "off" or None
        `power.t_lt_ns`.
    time_ns : float
        Run time of a program or trace; for traffic, which does not end, the mean latency of packets.
    time_of : {"run time", "mean packet latency"}
        What `time_ns` is.
    figures : dict
        Member `power` of the JSON result.
    """

    label: str
    t_lt_ns: float | str | None
    time_ns: float
    time_of: str
    figures: dict[str, Any]

    def ratio_to(self, base: PowerResult) -> tuple[float, float, float]:
        """Return time, mean power and energy relative to those of another result."""
        ours, theirs = self.figures, base.figures
        return (
            self.time_ns / base.time_ns,
            ours["mean_w"] / theirs["mean_w"],
            ours["energy_j"] / theirs["energy_j"],
        )


def read_results(path: Path) -> list[PowerResult]:
    """Return the energy accounts in a file: JSON of a run or sweep of any kind, or Parquet of links over time.

    Raises
    ------
    TsujiError
        If the file cannot be read, or holds no energy account.
    """
    if path.suffix == ".parquet":
        file = PowerFile(path)
        if not file.summary:
            how = f", {file.broken_off}" if file.broken_off else ""
            raise TsujiError(f"{path}: the run that wrote it did not end{how}; there are no figures of all of it")
        power = file.metadata["power"]
        label = _label(power["t_lt_ns"], path.stem)
        return [PowerResult(label, power["t_lt_ns"], file.summary["duration_ns"], "run time", file.summary)]
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TsujiError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(document, dict):
        raise TsujiError(f"{path}: no result of tsuji")
    found = document.get("points", [document])
    if not all(isinstance(point, dict) and point.get("power") for point in found):
        raise TsujiError(f"{path}: has no member power: simulate with --power")
    return [_result(point, path) for point in found]


def _result(point: dict[str, Any], path: Path) -> PowerResult:
    """Return the account of one run's document."""
    try:
        figures = _FIGURES.validate_python(tuple(point["power"][name] for name in PowerFigures._fields))._asdict()
        power = point["config"]["power"]
        label = _label(power["t_lt_ns"], path.stem)
        if "run_time_ns" in point:
            return PowerResult(label, power["t_lt_ns"], float(point["run_time_ns"]), "run time", figures)
        latency = float(point["packet_latency"]["mean"] or 0.0) * float(power["cycle_ns"])
    except (KeyError, TypeError, ValueError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else _what(error)
        raise TsujiError(f"{path}: power is no energy account of tsuji: {what}") from error
    return PowerResult(label, power["t_lt_ns"], latency, "mean packet latency", figures)


def _what(error: TypeError | ValueError) -> str:
    """Return the cause of an error, on one line."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{PowerFigures._fields[int(first['loc'][0])]}: {first['msg']}"


def _label(t_lt_ns: float | str | None, name: str) -> str:
    """Return the label of a result."""
    if t_lt_ns is None:
        return name
    return f"T_lt {t_lt_ns}" if isinstance(t_lt_ns, str) else f"T_lt {t_lt_ns / 1000:g} µs"


def _opened(path: Path) -> pq.ParquetFile:
    """Return an open Parquet file."""
    if path.suffix == ".csv":
        raise TsujiError(f"{path}: CSV does not say what ran; {WRITE_ONE}")
    if not path.exists():
        raise TsujiError(f"{path}: cannot be read: no such file; {WRITE_ONE}")
    try:
        return pq.ParquetFile(path)
    except pa.ArrowInvalid as error:
        raise TsujiError(f"{path}: cannot be read: not a whole Parquet file, or its run has not ended") from error
    except OSError as error:
        raise TsujiError(f"{path}: cannot be read: {error.strerror or error}") from error


def _metadata(path: Path, file: pq.ParquetFile) -> dict[str, Any]:
    """Return the metadata of a file."""
    try:
        found: dict[str, Any] = json.loads((file.metadata.metadata or {})[KEY.encode()])
        known = found["format"] == "power" and found["format_version"] == FORMAT
    except (KeyError, ValueError, TypeError):
        known = False
    if not known:
        raise TsujiError(f"{path}: not a file of the energy account; {WRITE_ONE}")
    return found
