"""File names that say what is to be written, checked before anything has run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer

PICTURES = (".png", ".svg", ".pdf")
TABLES = (".csv", ".parquet")


def one_of(*suffixes: str) -> Callable[[typer.CallbackParam, Path | None], Path | None]:
    """Return what refuses file names with other endings, as the callback of an option."""

    def check(option: typer.CallbackParam, path: Path | None) -> Path | None:
        from models.errors import TsujiError

        if path is not None and path.suffix.lower() not in suffixes:
            allowed = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
            raise TsujiError(f"{option.opts[0]} {path}: must end in {allowed}, which says what is written")
        return path

    return check
