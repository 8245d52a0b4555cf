"""Tidy tables of results: CSV, Parquet, data frames."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.files.table_file import write_frame
from sim.measure.result import Documented

if TYPE_CHECKING:
    import pandas as pd

LONG = ("packet_histogram", "network_histogram", "nodes")


def frame(results: Iterable[Documented]) -> pd.DataFrame:
    """Return a tidy table: one row per result, one column per configuration key or figure (`traffic.load`, …).

    Lists, such as `topology.radix`, are written as JSON; the figures of `LONG` are left out. Figures of the cache are
    `cache.hit_rate`, `cache.misses`, `cache.evictions`; the cache's keys are `cache.entries` and so on.
    """
    import pandas as pd

    rows = []
    for result in results:
        document = result.document()
        row: dict[str, Any] = {}
        for section, keys in document.pop("config").items():
            row |= {f"{section}.{key}": _cell(value) for key, value in keys.items()}
        for name, value in document.items():
            if name not in LONG:
                row |= (
                    {f"{name}.{key}": _cell(v) for key, v in value.items()}
                    if isinstance(value, dict)
                    else {name: value}
                )
        rows.append(row)
    return pd.DataFrame(rows)


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


def write_table(results: Iterable[Documented], path: Path) -> None:
    """Write the tidy table as Parquet if the file's name ends in .parquet, else as CSV.

    Raises
    ------
    TsujiError
        If it cannot be written.
    """
    write_frame(frame(results), path)
