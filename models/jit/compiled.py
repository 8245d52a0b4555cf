"""How the golden model is compiled: one decorator, and a cache that any change of the model invalidates.

Numba's on-disk cache notices a change of a function's own file, but not of a file it calls into. The cache folder is
therefore named after the content of every source file with compiled functions, or with constants that they are made of.

The state is passed by reference (`models.jit.struct_pointer`). Functions are inlined, but for those compiled with
`compiled_noinline`. There is no reference counting: compiled functions may view arrays but not create any, which numba
then checks.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import update_wrapper
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.extending import typeof_impl

from models.jit.disk_cache import CodeCache
from models.jit.internal_linkage import PartCompiler, PartType

COMPILES = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]  # else all runs as plain Python
COMMON: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
F = TypeVar("F", bound=Callable[..., Any])


def _source_digest() -> str:
    root = Path(__file__).resolve().parents[2]
    digest = sha256(numba.__version__.encode())
    for folder in ("models", "sim", "cocotb_tests"):
        for path in sorted((root / folder).rglob("*.py")):
            text = path.read_bytes()
            if folder == "models" or path.parent.name == "engine" or b"@compiled" in text:
                digest.update(path.relative_to(root).as_posix().encode() + text)
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "tsuji" / "numba" / _source_digest()


if not os.environ.get("NUMBA_CACHE_DIR"):
    numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]


class Compiled:
    """A function that compiled functions inline, with an entry point for Python that is compiled when it is needed.

    An entry point for every function would double the time of compilation.

    Attributes
    ----------
    py_func : function
        The function, as plain Python.
    part : numba dispatcher
        What compiled functions inline or call. Python cannot call it.
    outer : numba dispatcher
        What Python calls.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        self.py_func = function
        self.part = numba.njit(  # type: ignore[call-overload]
            pipeline_class=PartCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True, **COMMON, **options
        )(function)
        self.outer = numba.njit(no_cfunc_wrapper=True, **COMMON)(function)  # type: ignore[call-overload]
        self.outer._cache = self._cache = CodeCache(function)
        update_wrapper(self, function)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call it from Python."""
        return self.outer(*arguments, **named)

    def entry_point(self, *arguments: Any) -> Callable[..., Any]:
        """Return a function that calls it with arguments of the same types as these, which are not looked up again."""
        entry: Callable[..., Any] = self.outer.compile(tuple(map(numba.typeof, arguments)))
        return entry

    def is_cached(self, *arguments: Any) -> bool:
        """Return whether the entry point for such arguments is compiled already, in memory or on disk."""
        types = tuple(map(numba.typeof, arguments))
        return types in self.outer.overloads or self._cache.keeps(types, self.outer.targetctx.codegen())


@typeof_impl.register(Compiled)
def _typeof(value: Compiled, context: Any) -> PartType:
    return PartType(value.part)


def compiled(function: F) -> F:
    """Compile a function of the model; with NUMBA_DISABLE_JIT=1, or as `function.py_func`, it runs as plain Python."""
    return Compiled(function, forceinline=True) if COMPILES else function  # type: ignore


def entry_point(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return a function that calls one of the model many times, with arguments of the same types as these.

    To look up the type of a large state takes as long as to advance a small network by some cycles.
    """
    return function.entry_point(*arguments) if isinstance(function, Compiled) else function


def is_cached(function: Callable[..., Any], *arguments: Any) -> bool:
    """Return whether the entry point for such arguments is compiled already."""
    return function.is_cached(*arguments) if isinstance(function, Compiled) else False


def compiled_noinline(function: F) -> F:
    """Compile a function that is called instead of being inlined: for what is long and seldom needed.

    The option must be given explicitly: numba passes the caller's flags on to what it calls.
    """
    return Compiled(function, forceinline=False) if COMPILES else function  # type: ignore
