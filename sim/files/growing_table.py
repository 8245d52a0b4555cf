"""Tables in files that grow while a simulation runs, in bounded memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from models.errors import TsujiError

GROUP = 1 << 16  # least rows that are written together


class GrowingTable:
    """A table file, written row by row: Parquet, or CSV where that is allowed.

    Rows are buffered until there are `GROUP`; a row group of the Parquet file holds the rows of whole `append` calls. A
    Parquet file can be read once it is closed, a CSV file at any time.

    Parameters
    ----------
    path : Path
    metadata : mapping of str to str
        Metadata of the Parquet file's schema; a CSV file has none.
    csv : bool
        Whether a name that ends in .csv is allowed.

    Raises
    ------
    TsujiError
        If the name has another ending, or the file cannot be written.
    """

    def __init__(self, path: Path, metadata: Mapping[str, str] | None = None, *, csv: bool = False) -> None:
        if path.suffix not in ((".parquet", ".csv") if csv else (".parquet",)):
            raise TsujiError(
                f"{path}: must end in .parquet{' or .csv' if csv else ''}: it is written while the simulation runs"
            )
        self._path = path
        self._metadata = metadata
        self._writer: Any = None
        self._kept: list[pa.Table] = []
        self._rows = 0

    def append(self, columns: Mapping[str, Any]) -> None:
        """Add rows."""
        table = pa.table(dict(columns)).replace_schema_metadata(self._metadata)
        if self._writer is None:
            self._open(table.schema)
        self._kept.append(table)
        self._rows += len(table)
        if self._rows >= GROUP:
            self._write()

    def close(self, footer: Mapping[str, str] | None = None) -> None:
        """Close the file; `footer` is added to the metadata of a Parquet file."""
        if self._writer is None:
            return
        self._write()
        if footer and isinstance(self._writer, pq.ParquetWriter):
            self._writer.add_key_value_metadata(dict(footer))
        self._writer.close()
        self._writer = None

    def _open(self, schema: pa.Schema) -> None:
        """Create the file."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._path.suffix == ".csv":
                self._writer = pacsv.CSVWriter(self._path, schema)
            else:
                self._writer = pq.ParquetWriter(self._path, schema, compression="zstd")
        except OSError as error:
            raise TsujiError(f"{self._path}: cannot be written: {error.strerror}") from error

    def _write(self) -> None:
        """Write the buffered rows as one row group."""
        if self._kept:
            table = pa.concat_tables(self._kept)
            self._writer.write_table(table.combine_chunks(), max(1, len(table)))
        self._kept, self._rows = [], 0
