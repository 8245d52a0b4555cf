"""Tables in files that grow while a simulation runs, in bounded memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from models.errors import TsujiError
from sim.files.output_file import check_output
from sim.lib.interruption import interruptions_wait

GROUP = 1 << 16  # least rows that are written together
BROKEN_OFF = "tsuji_broken_off"  # of the metadata


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
        check_output(path)
        self.path = path
        self._metadata = metadata
        self._writer: Any = None
        self._kept: list[pa.Table] = []
        self._rows = 0

    def append(self, columns: Mapping[str, Any]) -> None:
        """Add rows; an interruption waits until they are added."""
        table = pa.table(dict(columns)).replace_schema_metadata(self._metadata)
        with interruptions_wait(), self._refusing():
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
        with interruptions_wait(), self._refusing():
            self._write()
            if footer and isinstance(self._writer, pq.ParquetWriter):
                self._writer.add_key_value_metadata(dict(footer))
            self._writer.close()
            self._writer = None

    def break_off(self, why: str) -> Path | None:
        """Close the file of a run that does not reach its end; return its path, None if it has no rows.

        Parameters
        ----------
        why : str
            What ended the run, and when; kept in a Parquet file, for its readers.
        """
        if self._writer is None:
            return None
        self.close({BROKEN_OFF: json.dumps(why, ensure_ascii=False)})
        return self.path

    def _open(self, schema: pa.Schema) -> None:
        """Create the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.suffix == ".csv":
            self._writer = pacsv.CSVWriter(self.path, schema)
        else:
            self._writer = pq.ParquetWriter(self.path, schema, compression="zstd")

    def _write(self) -> None:
        """Write the buffered rows as one row group."""
        if self._kept:
            table = pa.concat_tables(self._kept)
            self._writer.write_table(table.combine_chunks(), max(1, len(table)))
        self._kept, self._rows = [], 0

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Turn an error of the system, such as a full disk, into one that names the file."""
        try:
            yield
        except OSError as error:
            self._writer = None  # nothing more can be written
            raise TsujiError(f"{self.path}: cannot be written: {error.strerror or error}") from error


def broken_off(file: pq.ParquetFile) -> str | None:
    """Return what ended the run that wrote a file, and when; None if the run reached its end."""
    said = (file.metadata.metadata or {}).get(BROKEN_OFF.encode())
    return None if said is None else str(json.loads(said))
