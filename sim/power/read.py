"""Reads what the energy account wrote: files of power over time, and JSON results with a member `power`."""

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
from sim.power.account import PowerFigures
from sim.power.chunk_files import KEY, SUMMARY, switches_file

_FIGURES = TypeAdapter(PowerFigures)


class PowerFile:
    """A Parquet file of links over time, and the one of switches beside it.

    Parameters
    ----------
    path : Path
        Of the file of links, or of switches.

    Attributes
    ----------
    metadata : dict
        What it says of its run: `config`, `topology`, `source`, `cycle_ns`, `chunk_cycles` and more.
    summary : dict
        The figures of the whole run; empty if it did not end.

    Raises
    ------
    TsujiError
        If a file cannot be read, or is none of these.
    """

    def __init__(self, path: Path) -> None:
        if path.name.endswith(".switches.parquet"):
            path = path.with_name(path.name.removesuffix(".switches.parquet") + ".parquet")
        self.path = path
        self._links = _opened(path)
        self._switches = _opened(switches_file(path))
        found = self._links.metadata.metadata or {}
        if KEY.encode() not in found or json.loads(found[KEY.encode()]).get("format") != "power":
            raise TsujiError(f"{path}: no file of --power-file")
        self.metadata: dict[str, Any] = json.loads(found[KEY.encode()])
        self.summary: dict[str, Any] = json.loads(found.get(SUMMARY.encode(), b"{}"))

    def links(self, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the rows of links, some chunks at a time."""
        for group in range(self._links.num_row_groups):
            yield self._links.read_row_group(group, columns).to_pandas()

    def switches(self, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the rows of switches, some chunks at a time."""
        for group in range(self._switches.num_row_groups):
            yield self._switches.read_row_group(group, columns).to_pandas()

    def over_time(self) -> pd.DataFrame:
        """Return the whole network, a row a chunk: `chunk`, `start_ns`, `end_ns`, and the power by cause, W."""
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
        What to call it: its T_lt, or the file's name.
    t_lt_ns : float, "never", "off" or None
        As [power] says.
    time_ns : float
        Run time of a program or trace; of traffic the mean latency of packets, as nothing ends.
    time_of : {"run time", "mean packet latency"}
        What `time_ns` is.
    figures : dict
        Member `power` of the result.
    """

    label: str
    t_lt_ns: float | str | None
    time_ns: float
    time_of: str
    figures: dict[str, Any]

    def ratio_to(self, base: PowerResult) -> tuple[float, float, float]:
        """Return time, mean power and energy as parts of those of another result."""
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
        If it cannot be read, or holds none.
    """
    if path.suffix == ".parquet":
        file = PowerFile(path)
        if not file.summary:
            raise TsujiError(f"{path}: the run that wrote it did not end: there are no figures of all of it")
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
    """Return what was wrong, in a line."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{PowerFigures._fields[int(first['loc'][0])]}: {first['msg']}"


def _label(t_lt_ns: float | str | None, name: str) -> str:
    """Return what to call a result."""
    if t_lt_ns is None:
        return name
    return f"T_lt {t_lt_ns}" if isinstance(t_lt_ns, str) else f"T_lt {t_lt_ns / 1000:g} µs"


def _opened(path: Path) -> pq.ParquetFile:
    """Return an open Parquet file."""
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise TsujiError(f"{path}: cannot be read: {reason}") from error
