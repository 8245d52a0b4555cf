"""Cache of generated Verilog, in `build/verilog`, until a source file of the hardware or the parameters change."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

from cocotb_tests.runner.verilator import BUILD, ROOT
from hdl.top import Top
from hdl.verilog import component_verilog
from models.params import SwitchParams

TOP = "tsuji_switch"


def switch_verilog(params: SwitchParams) -> str:
    """Return the Verilog of a switch with its table, module `TOP`."""
    return kept_verilog(repr(params), lambda: component_verilog(Top(params), TOP))


def kept_verilog(name: str, make: Callable[[], str]) -> str:
    """Return generated Verilog: what was kept of this name and of today's sources, else what is made now.

    Parameters
    ----------
    name : str
        Says all that the text depends on beside the sources of `hdl` and `models`, such as the `repr` of parameters.
    make : callable
        Returns the text.
    """
    path = BUILD / "verilog" / f"{sha256((_sources() + name).encode()).hexdigest()[:20]}.v"
    if not path.exists():
        _write_whole(path, make())
    return path.read_text(encoding="utf-8")


def _write_whole(path: Path, text: str) -> None:
    """Write a file atomically: other processes see all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


@cache
def _sources() -> str:
    digest = sha256(importlib.metadata.version("amaranth").encode())
    for folder in ("hdl", "models"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
