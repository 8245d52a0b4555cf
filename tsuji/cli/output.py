"""Output files of options: ending and writability are checked before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tsuji.cli.option_groups import OptionGroup
from tsuji.cli.processes import writes

PICTURES = (".png", ".svg", ".pdf")
PARQUET = ".parquet"
TABLES = (".csv", PARQUET)
Check = Callable[[typer.CallbackParam, Path | None], Path | None]


def writable(option: typer.CallbackParam, path: Path | None) -> Path | None:
    """Refuse a file that cannot be written, as the callback of an option."""
    from sim.files.output_file import STDOUT, check_output

    if path in (Path("/dev/stdout"), Path("/dev/fd/1")):
        return STDOUT  # also if it is a file, which must not be replaced
    if path is not None and writes():
        check_output(path, option.opts[0])
    return path


def one_of(*suffixes: str) -> Check:
    """Return the callback of an option that refuses files with other endings, and files that cannot be written."""

    def check(option: typer.CallbackParam, path: Path | None) -> Path | None:
        from models.errors import TsujiError

        if path is not None and path.suffix.lower() not in suffixes:
            allowed = " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))
            raise TsujiError(f"{option.opts[0]} {path}: must end in {allowed}, which says what is written")
        return writable(option, path)

    return check


def folder(option: typer.CallbackParam, path: Path | None) -> Path | None:
    """Refuse a folder that cannot be created or written to, as the callback of an option."""
    from sim.files.output_file import check_folder

    if path is not None:
        check_folder(path, f"{option.opts[0]} {path}")
    return path


def output_file(text: str, *suffixes: str, metavar: str = "FILE", **more: Any) -> Any:
    """Return the option of an output file, which is refused before anything runs if it cannot be written.

    Parameters
    ----------
    text : str
        Help text.
    *suffixes : str
        Endings allowed for its name; none: any.
    metavar : str
        Name of the value in the help.
    **more
        Further arguments of `typer.Option`.
    """
    return typer.Option(metavar=metavar, callback=one_of(*suffixes) if suffixes else writable, help=text, **more)


def stdout_taken(*files: Path | None) -> bool:
    """Return whether an output file is standard output.

    Raises
    ------
    TsujiError
        If several output files are.
    """
    from models.errors import TsujiError
    from sim.files.output_file import STDOUT

    count = sum(path == STDOUT for path in files)
    if count > 1:
        raise TsujiError("several options name - (standard output): only one file can be written there")
    return count == 1


def text_console(*files: Path | None, width: int | None = None) -> Console:
    """Return the console for tables: standard output, or standard error if an output file is standard output."""
    return Console(width=width, stderr=stdout_taken(*files), highlight=False)


def json_file(content: str) -> Any:
    """Return the option of a JSON file; `content` is what is written."""
    return output_file(f"Write {content} as JSON (-: standard output).")


def table_file(rows: str) -> Any:
    """Return the option of a table file; `rows` describes its rows."""
    return output_file(f"Write a table {rows}: CSV, or Parquet by its ending (-: CSV).")


@dataclass(frozen=True)
class JsonFile(OptionGroup, panel="Results"):
    """A file of the result: --json."""

    json: Annotated[Path | None, json_file("configuration and figures")] = None

    def console(self, width: int | None = None) -> Console:
        """Return the console for tables: standard output, or standard error if a file of the group is `-`."""
        return text_console(*(getattr(self, each.name) for each in fields(self)), width=width)
