"""How the golden model is compiled: one decorator, and a cache that any change of the model invalidates.

Numba's on-disk cache notices a change of a function's own file, but not of a file it calls into. The cache folder is
therefore named after the content of every source file with compiled functions, or with constants that they are made of.

The state is a tuple of some twenty arrays. Handed to a function that is not inlined, each call would copy it and count
references to every array, at more than ten times the cost of the work itself. Hence every function is inlined, and
reference counting is off: compiled functions may view arrays but not create any, which numba then checks.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def _source_digest() -> str:
    root = Path(__file__).resolve().parent.parent
    digest = sha256(numba.__version__.encode())
    for folder in ("models", "sim", "cocotb_tests"):
        for path in sorted((root / folder).rglob("*.py")):
            text = path.read_bytes()
            if folder == "models" or path.name.startswith("engine") or b"@compiled" in text:
                digest.update(path.relative_to(root).as_posix().encode() + text)
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "tsuji" / "numba" / _source_digest()


if not os.environ.get("NUMBA_CACHE_DIR"):
    numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]


def compiled(function: F) -> F:
    """Compile a function of the model; with NUMBA_DISABLE_JIT=1, or as `function.py_func`, it runs as plain Python."""
    return numba.njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)(function)  # type: ignore[call-overload]


def compiled_apart(function: F) -> F:
    """Compile a function that is called where it stands instead of being copied there: for what is long and seldom."""
    return numba.njit(cache=True, error_model="numpy", _nrt=False)(function)  # type: ignore[call-overload]
