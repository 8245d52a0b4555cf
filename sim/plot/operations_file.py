"""Reads the operations of ranks that a run with `--operations` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from models.errors import TsujiError

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("rank", "kind", "start_ns", "end_ns", "peer", "bytes", "tag", "message", "call")
TEXTS = ("kind", "call")  # of these columns


def read_operations(path: Path) -> pd.DataFrame:
    """Return the operations of ranks, in order of their begin.

    Raises
    ------
    TsujiError
        If the file is none, or lacks a value.
    """
    try:
        table = pq.read_table(path, columns=list(COLUMNS)).to_pandas()
    except (pa.ArrowInvalid, OSError) as error:
        written = "a file that --operations of tsuji mpi or replay wrote"
        raise TsujiError(f"--operations {path}: must be {written}: {error}") from error
    for name in COLUMNS:
        missing = np.flatnonzero(table[name].isna())
        if len(missing):
            raise TsujiError(f"--operations {path}: row {missing[0]}: {name} is missing")
        if len(table) and name not in TEXTS and table[name].dtype.kind not in "iuf":
            raise TsujiError(f"--operations {path}: {name} = {table[name].iloc[0]!r} in row 0: must be a number")
    return table.sort_values(["start_ns", "end_ns"], kind="stable")
