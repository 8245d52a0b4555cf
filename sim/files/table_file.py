"""Files of tidy tables: CSV or Parquet, by the file's ending."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sim.files.output_file import write_output

if TYPE_CHECKING:
    import pandas as pd


def write_frame(table: pd.DataFrame, path: Path) -> None:
    """Write a table as Parquet if the file's name ends in .parquet, else as CSV.

    Raises
    ------
    TsujiError
        If it cannot be written.
    """
    content = table.to_parquet(index=False) if path.suffix == ".parquet" else table.to_csv(index=False)
    write_output(path, content)
