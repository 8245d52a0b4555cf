"""Computed parts, kept as CSV files: one file per table, one folder per paper.

Ids whose parts are computed by the same module share its tables, so a part is computed once for all of them.

Columns before the data: `part` (digest of function and parameters), `code` (digest of the source that it depends on),
`commit`, `seconds` (CPU time), `parameters` (JSON). A part has as many rows as it returned.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from models.errors import TsujiError
from sim.files.output_file import write_output
from sim.papers.framework.digest import ROOT
from sim.papers.framework.study import Part, Record, Study

KEY, CODE, COMMIT, SECONDS, PARAMETERS = HEAD = ("part", "code", "commit", "seconds", "parameters")
FOLDER = "folder"  # parameter of the parts that read traces


class Parts:
    """The parts of a folder.

    Parameters
    ----------
    folder : Path
    old_code : bool
        Whether parts computed by other code are used, too.
    """

    def __init__(self, folder: Path, *, old_code: bool = False) -> None:
        self._folder = folder
        self._old_code = old_code
        self._read: dict[Path, pd.DataFrame | None] = {}

    def file(self, study: Study, part: Part) -> Path:
        """Return the file of a part's table."""
        return self._folder / study.paper / f"{part.module}.{part.table}.csv"

    def _frame(self, path: Path) -> pd.DataFrame | None:
        if path not in self._read:
            self._read[path] = _read(path)
        return self._read[path]

    def stored(self, study: Study, part: Part) -> pd.DataFrame | None:
        """Return the rows of a part, or None if none were computed by this code."""
        frame = self._frame(self.file(study, part))
        if frame is None:
            return None
        mine = frame[frame[KEY] == part.key]
        if mine.empty or (not self._old_code and (mine[CODE] != part.code).any()):
            return None
        return mine

    def keep(self, study: Study, part: Part, rows: list[Record], seconds: float) -> None:
        """Write the rows of a part, replacing earlier ones."""
        if not rows:
            raise TsujiError(f"{study.id}: {part.name}: no rows")
        head: Record = {
            KEY: part.key,
            CODE: part.code,
            COMMIT: commit(),
            SECONDS: round(seconds, 2),
            PARAMETERS: json.dumps(dict(part.params), ensure_ascii=False),
        }
        new = pd.DataFrame([head | row for row in rows])
        path = self.file(study, part)
        before = _read(path)  # again: other processes may write to the same table
        if before is not None:
            others = before[before[KEY] != part.key]
            new = pd.concat([others, new], ignore_index=True) if len(others) else new
        write_output(path, new.to_csv(index=False, float_format="%.9g", lineterminator="\n"))
        self._read[path] = new

    def tables(self, study: Study, parts: Iterable[Part]) -> dict[str, pd.DataFrame]:
        """Return the rows of parts by table, without empty columns.

        Raises
        ------
        TsujiError
            If a part is missing.
        """
        found: dict[str, list[pd.DataFrame]] = {}
        for part in parts:
            rows = self.stored(study, part)
            if rows is None:
                raise TsujiError(f"{study.id}: {part.name}: not computed")
            found.setdefault(part.table, []).append(rows)
        joined = {table: pd.concat(frames, ignore_index=True) for table, frames in found.items()}
        # Rows of other parts in a table may have turned columns of flags into objects.
        return {table: frame.dropna(axis=1, how="all").infer_objects() for table, frame in joined.items()}

    def drop_others(self, wanted: Iterable[tuple[Study, Part]]) -> None:
        """Drop kept parts that no id uses any more from the tables of the wanted ids, except those of other traces."""
        keys: dict[Path, set[str]] = {}
        folders = {None}
        for study, part in wanted:
            keys.setdefault(self.file(study, part), set()).add(part.key)
            folders.add(part.params.get(FOLDER))
        for path, known in keys.items():
            frame = self._frame(path)
            if frame is None:
                continue
            stay = frame[KEY].isin(known) | ~frame[PARAMETERS].map(_folder).isin(folders)
            if stay.all():
                continue
            if not stay.any():
                path.unlink()
                self._read[path] = None
                continue
            left = frame[stay]
            left = left[[name for name in left if name in HEAD or left[name].notna().any()]]
            write_output(path, left.to_csv(index=False, float_format="%.9g", lineterminator="\n"))
            self._read[path] = left

    def older(self, study: Study, parts: Iterable[Part]) -> int:
        """Return the number of parts that were computed by other code than the current one."""
        count = 0
        for part in parts:
            rows = self.stored(study, part)
            count += rows is not None and bool((rows[CODE] != part.code).any())
        return count


def _folder(parameters: str) -> str | None:
    """Return the folder of traces that kept parameters name."""
    named: str | None = json.loads(parameters).get(FOLDER)
    return named


def _read(path: Path) -> pd.DataFrame | None:
    if not path.exists():
        return None
    try:
        frame: pd.DataFrame = pd.read_csv(path, dtype={KEY: str, CODE: str, COMMIT: str, PARAMETERS: str})
    except (OSError, ValueError) as error:
        raise TsujiError(f"{path}: cannot be read: {error}; remove it to compute its parts anew") from error
    if not set(HEAD) <= set(frame.columns):
        raise TsujiError(f"{path}: no table of parts; remove it to compute its parts anew")
    return frame


@cache
def commit() -> str:
    """Return the commit of the source, with `+` if it was changed since; `unknown` outside a clone."""

    def told(*arguments: str) -> str:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return told("rev-parse", "--short=10", "HEAD") + ("+" if told("status", "--porcelain", *_SOURCE) else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


_SOURCE: Any = ("--", "models", "sim")
