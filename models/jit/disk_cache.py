"""Compiled code on disk: one file of machine code per function and set of argument types.

A file begins with a hash of its content: a damaged one is not run, but compiled again. The folder's name is a hash of
the content of every source file with compiled functions or with constants in them, of the versions of numba and
llvmlite, of the processor, and of numba's environment variables, so that NUMBA_BOUNDSCHECK=1 has a folder of its own.
The name of a file is a hash of its key, so that processes writing at the same time do not write to the same file. A
test that is changed makes nothing but compiled functions of tests old.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from llvmlite import binding

from models.errors import TsujiError
from models.jit.native_types import Kind

ROOT = Path(__file__).resolve().parents[2]
DIGEST = sha256().digest_size  # bytes before the content of a file, which they are the hash of
SOURCES = "models", "sim", "cocotb_tests"
COMPILED = {"models", "engine", "messages"}  # folders whose constants become part of compiled code


class Kept(NamedTuple):
    """Stored form of a compiled function.

    Attributes
    ----------
    objects : tuple of bytes
        Object files with the function and all its callees; they refer to each other.
    symbol : str
        Symbol of the entry point.
    result : str or tuple
        Kind of the result (`models.jit.native_types`).
    """

    objects: tuple[bytes, ...]
    symbol: str
    result: str | tuple[str, ...]


@cache
def folder() -> Path:
    """Return the folder for code of the present source on this processor."""
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
    return sorted(path for name in SOURCES for path in (ROOT / name).rglob("*.py"))


@cache
def _digest_of_tests() -> str:
    """Return a hash of the tests with compiled functions; part of the keys of those alone."""
    texts = (path.read_bytes() for path in sorted((ROOT / "tests").rglob("*.py")))
    return sha256(b"".join(text for text in texts if b"@compiled" in text)).hexdigest()


def _place(name: str, kinds: Sequence[Kind]) -> tuple[Path, str]:
    """Return the file for a function and its argument kinds, and the key that the file contains."""
    key = f"{name}{kinds!r}" + ("" if name.partition(".")[0] in SOURCES else _digest_of_tests())
    return folder() / f"{name}.{sha256(key.encode()).hexdigest()[:24]}", key


def save(name: str, kinds: Sequence[Kind], code: Kept) -> None:
    """Store the code of a function for arguments of these kinds; if the disk cannot be written, do nothing."""
    path, key = _place(name, kinds)
    content = pickle.dumps((key, tuple(code)))
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
            written = Path(file.name)
            try:
                file.write(sha256(content).digest() + content)
                file.close()
                written.replace(path)
            finally:
                written.unlink(missing_ok=True)  # of a full disk, or an interruption


def check_writable() -> None:
    """Refuse a folder in which nothing can be stored.

    Raises
    ------
    TsujiError
        If no file can be created in it.
    """
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=folder()):
            pass
    except OSError as error:
        raise TsujiError(
            f"{folder()}: compiled code cannot be stored ({error.strerror}); set XDG_CACHE_HOME to a folder that can "
            "be written"
        ) from error


def load(name: str, kinds: Sequence[Kind]) -> Kept | None:
    """Return the stored code of a function for arguments of these kinds, or None."""
    path, key = _place(name, kinds)
    try:
        kept = path.read_bytes()
    except OSError:
        return None
    digest, content = kept[:DIGEST], kept[DIGEST:]
    if sha256(content).digest() != digest:  # never run what is damaged
        return None
    found, code = pickle.loads(content)
    return Kept(*code) if found == key else None
