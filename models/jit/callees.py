"""Which compiled functions a compiled function calls, as its Python code names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any, Protocol


class Function(Protocol):
    """A compiled function (`models.jit.compiled.Compiled`)."""

    py_func: Callable[..., Any]
    inline: bool
    apart: bool

    @property
    def part(self) -> Any:
        """Its numba dispatcher."""


def closure_of(function: Function) -> set[str]:
    """Return the names of a compiled function and of all that it calls, directly or not, except in units.

    Units (`models.jit.compiler.units`) are compiled apart. Branches that the compiler removes count, too. A function
    that is passed as an argument counts where it is named.
    """
    found: dict[int, Function] = {}
    pending = [function]
    while pending:
        each = pending.pop()
        if id(each) not in found:
            found[id(each)] = each
            pending.extend(callee for callee in _named(each.py_func, type(function)) if not callee.apart)
    return set(map(name_of, found.values()))


def name_of(function: Function) -> str:
    """Return the name of a compiled function with its module's."""
    return f"{function.py_func.__module__}.{function.py_func.__qualname__}"


def _named(function: Callable[..., Any], kind: type) -> Iterator[Any]:
    """Yield the objects of class `kind` that a function's code names."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    seen = function.__globals__ | {name: cell.cell_contents for name, cell in cells}
    names = _names(function.__code__)
    named = [seen[name] for name in names if name in seen]
    modules = (vars(each) for each in named if isinstance(each, ModuleType))
    named += [content[name] for content in modules for name in names if name in content]
    yield from (each for each in named if isinstance(each, kind))


def _names(code: CodeType) -> set[str]:
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return {*code.co_names, *code.co_freevars}.union(*inner)
