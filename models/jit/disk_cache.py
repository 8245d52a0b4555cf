"""Compiled code on disk: the machine code of every function, for every set of argument types, in a file of its own.

The folder is named after the content of every source file with compiled functions, or with constants that they are made
of, after the processor, and after what numba's environment variables say: NUMBA_BOUNDSCHECK=1 has a folder of its own.
A file's name is a hash of its key, so that two processes that write at once do not write to one file.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from llvmlite import binding

from models.jit.native_types import Kind

ROOT = Path(__file__).resolve().parents[2]
COMPILED = {"models", "engine", "messages"}  # folders whose constants are in compiled code, too


class Kept(NamedTuple):
    """What is kept of a compiled function.

    Attributes
    ----------
    machine_code : bytes
        An object file with all that it calls.
    symbol : str
        Its name there.
    result : str or tuple
        Kind of what it returns (`models.jit.native_types`).
    """

    machine_code: bytes
    symbol: str
    result: str | tuple[str, ...]


@cache
def folder() -> Path:
    """Return the folder for code of this source, on this processor."""
    digest = sha256(f"{version('numba')} {version('llvmlite')} {binding.get_host_cpu_name()}".encode())
    digest.update(binding.get_host_cpu_features().flatten().encode())
    digest.update(repr(sorted(each for each in os.environ.items() if each[0].startswith("NUMBA_"))).encode())
    for path in _sources():
        text = path.read_bytes()
        if COMPILED & {*path.relative_to(ROOT).parts} or b"@compiled" in text or b"@struct_pointer" in text:
            digest.update(path.relative_to(ROOT).as_posix().encode() + text)
    base = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tsuji" / "code" / digest.hexdigest()[:16]


def _sources() -> list[Path]:
    return sorted(path for name in ("models", "sim", "cocotb_tests") for path in (ROOT / name).rglob("*.py"))


def _place(name: str, kinds: Sequence[Kind]) -> tuple[Path, str]:
    """Return the file for a function and its arguments, and the key in it."""
    key = f"{name}{kinds!r}"
    return folder() / f"{name}.{sha256(key.encode()).hexdigest()[:24]}", key


def save(name: str, kinds: Sequence[Kind], code: Kept) -> None:
    """Keep the code of a function for arguments of these kinds; where that cannot be written, it is compiled again."""
    path, key = _place(name, kinds)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
            pickle.dump((key, tuple(code)), file)
        Path(file.name).replace(path)
    except OSError:
        return


def load(name: str, kinds: Sequence[Kind]) -> Kept | None:
    """Return what is kept of a function for arguments of these kinds; None if nothing is."""
    path, key = _place(name, kinds)
    try:
        found, code = pickle.loads(path.read_bytes())
    except (OSError, EOFError, pickle.UnpicklingError, ValueError):
        return None
    return Kept(*code) if found == key else None


def keeps(name: str, kinds: Sequence[Kind]) -> bool:
    """Return whether code of a function for arguments of these kinds is on disk."""
    return load(name, kinds) is not None
