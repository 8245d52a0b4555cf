"""Files of tidy tables: CSV or Parquet, by name."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from models.errors import TsujiError


def write_frame(table: pd.DataFrame, path: Path) -> None:
    """Write a table as Parquet if the file's name ends so, else as CSV.

    Raises
    ------
    TsujiError
        If it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            table.to_parquet(path, index=False)
        else:
            table.to_csv(path, index=False)
    except OSError as error:
        raise TsujiError(f"{path}: cannot be written: {error.strerror}") from error
