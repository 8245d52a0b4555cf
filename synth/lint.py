"""Verilator lint of generated Verilog, with all warnings enabled and none waived."""

from __future__ import annotations

import tempfile
from pathlib import Path

from models.errors import TsujiError
from synth import toolchain


def lint(verilog: str, top: str) -> None:
    """Run lint on Verilog text.

    Parameters
    ----------
    verilog : str
        Verilog of all modules.
    top : str
        Name of the top module.

    Raises
    ------
    TsujiError
        If there is any warning; quotes the first one.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{top}.v").write_text(verilog, encoding="utf-8")
        arguments = ["--lint-only", "-Wall", "--top-module", top, f"{top}.v"]
        done = toolchain.verilator().run(arguments, cwd=Path(folder), check=False)
    if done.returncode or "%Warning" in done.stdout or "%Error" in done.stdout:
        count = done.stdout.count("%Warning")
        first = "\n".join(done.stdout.splitlines()[:20])
        raise TsujiError(f"{top}: verilator --lint-only -Wall gives {count} warnings:\n{first}")
