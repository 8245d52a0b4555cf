"""Register map in the forms of `tsuji registers`: SystemRDL, and with PeakRDL C header, Markdown and HTML; JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from models.errors import TsujiError
from models.register_map import RegisterMap
from tsuji.registers.system_rdl import system_rdl


class Format(StrEnum):
    """Forms of a register map that are one text."""

    RDL = "rdl"
    C = "c"
    MARKDOWN = "md"
    JSON = "json"


def register_text(registers: RegisterMap, name: str, form: Format) -> str:
    """Return a register map as text.

    Parameters
    ----------
    registers : RegisterMap
    name : str
        Name of the switch.
    form : Format

    Raises
    ------
    TsujiError
        If a package that makes the form is not installed.
    """
    if form is Format.RDL:
        return system_rdl(registers, name)
    if form is Format.JSON:
        return register_json(registers, name)
    with TemporaryDirectory() as folder:
        file = Path(folder) / (f"{name}.h" if form is Format.C else f"{name}.md")
        _EXPORTERS[form](elaborated(registers, name, f"--format {form.value}"), file)
        return file.read_text(encoding="utf-8")


def write_html(registers: RegisterMap, name: str, folder: Path) -> None:
    """Write a register map as pages, `index.html` and what it loads, into a folder; errors as of `register_text`."""
    top = elaborated(registers, name, "--html")
    exporter = _made_by("peakrdl_html", "HTMLExporter", "--html")(generate_source_links=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        exporter.export(top, str(folder), title=f"Registers of {name}", footer="")
    except OSError as error:
        raise TsujiError(f"{folder}: cannot be written: {error.strerror}") from error


def register_json(registers: RegisterMap, name: str) -> str:
    """Return a register map as JSON."""
    document = {"name": name, **asdict(registers)}
    return json.dumps(document, indent=1, default=lambda access: access.name.lower()) + "\n"


def elaborated(registers: RegisterMap, name: str, option: str) -> Any:
    """Return the root of a register map as systemrdl-compiler has read it; `option` asked for it."""
    compiler = _made_by("systemrdl", "RDLCompiler", option)()
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.rdl"
        file.write_text(system_rdl(registers, name), encoding="utf-8")
        compiler.compile_file(str(file))
    return compiler.elaborate(top_def_name=name)


def _write_header(root: Any, file: Path) -> None:
    _made_by("peakrdl_cheader.exporter", "CHeaderExporter", "--format c")().export(root, str(file))


def _write_markdown(root: Any, file: Path) -> None:
    _made_by("peakrdl_markdown", "MarkdownExporter", "--format md")().export(root, str(file), rename=root.top.inst_name)


_EXPORTERS: dict[Format, Callable[[Any, Path], None]] = {Format.C: _write_header, Format.MARKDOWN: _write_markdown}


def _made_by(module: str, name: str, option: str) -> Any:
    """Return a class of an optional package."""
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        raise TsujiError(
            f"{option}: needs {error.name}: pip install 'tsuji[registers]'; --format rdl and json need nothing more"
        ) from error
