"""Which functions a compiled function calls, as its code names them."""

from collections.abc import Callable

from models.jit import sets
from models.jit.callees import closure_of, name_of
from models.jit.compiled import Compiled, compiled, compiled_apart


@compiled
def _leaf(number: int) -> int:
    return sets.popcount(number)


@compiled_apart
def _unit(number: int) -> None:
    _leaf(number)


def _made(callee: Callable[[int], int]) -> Callable[[int], int]:
    @compiled
    def inner(number: int) -> int:
        return callee(number)

    return inner


_inner = _made(_leaf)


@compiled
def _root(number: int) -> int:
    _unit(number)
    return _inner(number)


def _closure(function: object) -> set[str]:
    assert isinstance(function, Compiled)
    return {name.rpartition(".")[2] for name in closure_of(function)}


def test_globals_modules_and_closures_are_followed() -> None:
    assert {"inner", "_leaf", "popcount"} <= _closure(_inner)


def test_units_are_not_part_of_their_callers() -> None:
    assert "_unit" not in _closure(_root)
    assert {"_root", "inner", "_leaf"} <= _closure(_root)
    assert {"_unit", "_leaf", "popcount"} <= _closure(_unit)


def test_names_have_their_module() -> None:
    assert isinstance(_leaf, Compiled)
    assert name_of(_leaf) == f"{__name__}._leaf"
