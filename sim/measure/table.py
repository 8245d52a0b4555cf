"""Tidy tables of results: CSV, Parquet, data frames.

`frame` is the table of files: the configuration, then the figures, as a result's document has them. In `sorted_frame`,
which Python gets, what differs between results comes first, and each column has a type.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.files.table_file import write_frame

if TYPE_CHECKING:
    import pandas as pd

    from sim.measure.result import Documented

LONG = ("packet_histogram", "network_histogram", "nodes")


def frame(results: Iterable[Documented]) -> pd.DataFrame:
    """Return a tidy table: one row per result, one column per configuration key or figure (`traffic.load`, …).

    Lists, such as `topology.radix`, are written as JSON; the figures of `LONG` are left out. Figures of the cache are
    `cache.hit_rate`, `cache.misses`, `cache.evictions`; the cache's keys are `cache.entries` and so on.
    """
    import pandas as pd

    return pd.DataFrame([{**keys, **figures} for keys, figures in map(_row, results)])


def sorted_frame(results: Iterable[Documented], over: Sequence[str] = (), *, apart: bool = False) -> pd.DataFrame:
    """Return a tidy table whose columns are the keys that vary, then the figures, then the other keys.

    Lists are text, as JSON; no column holds Python objects: missing numbers are NaN, and a key that takes both numbers
    and text is text.

    Parameters
    ----------
    results : iterable of Documented
    over : sequence of str
        Keys of the configuration, or figures, that come first, whether or not they vary.
    apart : bool
        Whether keys that do not vary are members of `attrs` instead of columns.
    """
    import pandas as pd

    found = list(results)
    rows = [_row(result) for result in found]
    keys, figures = pd.DataFrame([keys for keys, _ in rows]), pd.DataFrame([figures for _, figures in rows])
    varied = [name for name in keys if name in over or keys[name].nunique(dropna=False) > 1]
    first = [*over, *(name for name in varied if name not in over)]
    rest = [name for name in keys if name not in varied]
    table = pd.concat([keys, figures.drop(columns="version", errors="ignore")], axis="columns")
    columns = [*first, *(name for name in table if name not in {*first, *rest}), *([] if apart else rest)]
    sorted_table = typed(table[columns])
    if apart and found:
        document = found[0].document()
        plain = {f"{section}.{key}": v for section, keys in document["config"].items() for key, v in keys.items()}
        sorted_table.attrs = {**{name: plain[name] for name in rest}, "version": document["version"]}
    return sorted_table


def typed(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a type in place of each column of Python objects."""
    import pandas as pd

    kinds = {"empty": "float64", "string": "string", "boolean": "boolean", "integer": "Int64", "floating": "float64"}
    kinds["mixed-integer-float"] = "float64"
    objects = [name for name in table if table[name].dtype == object]
    return table.astype({
        name: kinds.get(pd.api.types.infer_dtype(table[name], skipna=True), "string") for name in objects
    })  # fmt: skip


def _row(result: Documented) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the keys of a result's configuration, and its figures, by column."""
    document = result.document()
    keys: dict[str, Any] = {}
    for section, members in document.pop("config").items():
        keys |= {f"{section}.{key}": _cell(value) for key, value in members.items()}
    figures: dict[str, Any] = {}
    for name, value in document.items():
        if name not in LONG:
            figures |= _columns(name, value)
    return keys, figures


def _columns(name: str, value: Any) -> dict[str, Any]:
    """Return a figure by its column, or its parts by theirs."""
    if not isinstance(value, dict):
        return {name: _cell(value)}
    return {column: cell for key, part in value.items() for column, cell in _columns(f"{name}.{key}", part).items()}


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


def write_table(results: Iterable[Documented], path: Path) -> None:
    """Write the tidy table as Parquet if the file's name ends in .parquet, else as CSV.

    Raises
    ------
    TsujiError
        If it cannot be written.
    """
    write_frame(typed(frame(results)), path)
