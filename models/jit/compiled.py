"""The decorator `compiled` (numba), and machine code on disk that any change of the model's source invalidates.

A compiled function can be called from Python, and by other compiled functions, into which it is inlined (except with
`compiled_noinline`). A call from Python loads machine code from disk (`models.jit.disk_cache`,
`models.jit.native_code`). Only if there is none is the compiler imported (`models.jit.compiler`), which takes longer
than many simulations.

The state is passed by reference (`models.jit.struct_pointer`). There is no reference counting: compiled functions may
view arrays but not create any, and numba checks this.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, TypeVar

from models.jit import disk_cache
from models.jit.callees import name_of
from models.jit.native_code import Code, NativeFunction
from models.jit.native_types import Kind, kind_of, kinds_of

COMPILES = not int(os.environ.get("NUMBA_DISABLE_JIT") or 0)  # otherwise everything runs as plain Python
F = TypeVar("F", bound=Callable[..., Any])


class Compiled:
    """A function that compiled functions inline, with an entry point for Python that is compiled on first use.

    Attributes
    ----------
    py_func : function
        The function, as plain Python.
    inline : bool
        Whether it is inlined into its callers.
    apart : bool
        Whether it is compiled into an object file of its own (`models.jit.compiler.units`).
    """

    def __init__(self, function: Callable[..., Any], inline: bool, apart: bool = False) -> None:
        self.py_func = function
        self.inline = inline
        self.apart = apart
        self._code: dict[tuple[Kind, ...], Code] = {}
        self._functions: dict[tuple[Kind, ...], NativeFunction] = {}
        self._last: tuple[tuple[Any, ...], tuple[Kind, ...]] = ((), ())
        update_wrapper(self, function)

    @cached_property
    def part(self) -> Any:
        """The numba dispatcher by which compiled functions inline or call it. Python cannot call the dispatcher."""
        from models.jit.compiler.entry import dispatcher

        return dispatcher(self)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the compiled function from Python."""
        if named or len(arguments) < self.py_func.__code__.co_argcount:
            arguments = self._bound(arguments, named)
        kinds = self._kinds_of(arguments)
        function = self._functions.get(kinds)
        if function is None:
            function = self._functions[kinds] = self.load(kinds, arguments)
        self._last = arguments, kinds
        return function.call(arguments)

    def _kinds_of(self, arguments: tuple[Any, ...]) -> tuple[Kind, ...]:
        """Return the kind of each argument; for an argument that is the same object as in the last call, from memory.

        A model stepped from Python passes the same state in each cycle, and inspecting its hundred arrays takes longer
        than the step. So the arguments are kept until the next call.
        """
        given, kinds = self._last
        if len(given) != len(arguments):
            return kinds_of(arguments)
        return tuple(
            kind if each is before else kind_of(each)
            for each, before, kind in zip(arguments, given, kinds, strict=True)
        )

    def load(self, kinds: tuple[Kind, ...], arguments: tuple[Any, ...], unlocked: bool = False) -> NativeFunction:
        """Return an entry point for such arguments; if `unlocked`, calls release the interpreter's lock."""
        code = self._code.get(kinds)
        if code is None:
            kept = disk_cache.load(name_of(self), kinds)
            if kept is None:
                from models.jit.compiler.entry import compile_entry

                kept = compile_entry(self, kinds, arguments)
                disk_cache.save(name_of(self), kinds, kept)
            code = self._code[kinds] = Code(kept)
        return NativeFunction(code, kinds, unlocked)

    def _bound(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Return all arguments in their order, with defaults for those left out."""
        code = self.py_func.__code__
        names = code.co_varnames[: code.co_argcount]
        defaults = self.py_func.__defaults__ or ()
        given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        given |= dict(zip(names, arguments, strict=False)) | named
        if len(arguments) > len(names) or given.keys() != set(names):
            raise TypeError(f"{name_of(self)} takes {', '.join(names)}")
        return tuple(given[name] for name in names)


def compiled(function: F) -> F:
    """Compile a function of the model; with NUMBA_DISABLE_JIT=1, or as `function.py_func`, it runs as plain Python."""
    return Compiled(function, inline=True) if COMPILES else function  # type: ignore


def compiled_noinline(function: F) -> F:
    """Compile a function that is called rather than inlined: for long, seldom executed code."""
    return Compiled(function, inline=False) if COMPILES else function  # type: ignore


def compiled_apart(function: F) -> F:
    """Compile a function that is called, returns nothing, and takes numbers and tuples passed by reference.

    It becomes an object file of its own, so that processes compile an engine side by side: for its phases.
    """
    return Compiled(function, inline=False, apart=True) if COMPILES else function  # type: ignore


def entry_point(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return a function for many calls of `function` with arguments of the same types as `arguments`.

    Inspecting the type of a large state takes as long as advancing a small network by some cycles.
    """
    return function.load(kinds_of(arguments), arguments) if isinstance(function, Compiled) else function


def unlocked_entry_point(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return a function as `entry_point`, whose calls let other threads run; each needs one of its own."""
    return function.load(kinds_of(arguments), arguments, unlocked=True) if isinstance(function, Compiled) else function


def is_cached(function: Callable[..., Any], *arguments: Any) -> bool:
    """Return whether the entry point of `function` for such arguments is already compiled, in memory or on disk."""
    if not isinstance(function, Compiled):
        return False
    kinds = kinds_of(arguments)
    return kinds in function._code or disk_cache.load(name_of(function), kinds) is not None
