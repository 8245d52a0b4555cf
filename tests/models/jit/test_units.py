"""Units: functions that are compiled into object files of their own, side by side in several processes."""

import os
from multiprocessing import active_children, get_context
from typing import Any, NamedTuple

import numpy as np
import pytest

from models.errors import CompilationError
from models.jit import watching
from models.jit.callees import name_of
from models.jit.compiled import Compiled, compiled, compiled_apart
from models.jit.compiler import side_by_side
from models.jit.compiler.units import Unit
from models.jit.disk_cache import Kept
from models.jit.native_types import kinds_of
from models.jit.struct_pointer import struct_pointer


@struct_pointer
class _Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@compiled
def _twice(number: int) -> int:
    return 2 * number


@compiled_apart
def _write_first(pair: _Pair, number: int) -> None:
    pair.first[0] = _twice(number)
    if number < 0:
        raise ValueError("below zero")


@compiled_apart
def _write_second(pair: _Pair, number: int) -> None:
    pair.second[0] = _twice(number) + 1


@compiled
def _write_both(pair: _Pair, number: int) -> int:
    _write_first(pair, number)
    _write_second(pair, number)
    return number + 1


@compiled_apart
def _nested(pair: _Pair, number: int) -> None:
    _write_second(pair, number)


@compiled
def _calls_nested(pair: _Pair, number: int) -> None:
    _nested(pair, number)


@compiled_apart
def _returns(pair: _Pair, number: int) -> int:
    return number


@compiled
def _calls_returning(pair: _Pair, number: int) -> None:
    _returns(pair, number)


def _pair() -> _Pair:
    return _Pair(np.zeros(1, np.int64), np.zeros(1, np.int64))


def _compiled_anew(function: object) -> Kept:
    assert isinstance(function, Compiled)
    from models.jit.compiler.entry import compile_entry

    arguments = _pair(), 5
    kept: Kept = compile_entry(function, kinds_of(arguments), arguments)
    return kept


def test_units_are_found_when_code_is_loaded() -> None:
    pair = _pair()
    assert _write_both(pair, 5) == 6
    assert (pair.first[0], pair.second[0]) == (10, 11)
    with pytest.raises(ValueError, match="below zero"):
        _write_both(pair, -1)


@pytest.mark.parametrize("cores", [1, 2, 3])
def test_any_number_of_processes_compiles_the_same(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One object for the entry point, one for each unit, and nothing is left running."""
    monkeypatch.setattr(side_by_side, "_cores", lambda: cores)
    begun: list[object] = []

    class Counted(side_by_side._Helper):
        def __init__(self, *given: Any) -> None:
            begun.append(self)
            super().__init__(*given)

    monkeypatch.setattr(side_by_side, "_Helper", Counted)
    kept = _compiled_anew(_write_both)
    assert len(kept.objects) == 3
    assert len(begun) == min(cores, 2) - 1
    assert not active_children()


def test_two_processes_compile_two_units_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits in the middle of its unit for the other one: a single process would wait for ever."""
    monkeypatch.setattr(side_by_side, "_cores", lambda: 2)
    both = get_context("fork").Barrier(2)

    def compile_unit(unit: Unit) -> bytes:
        both.wait(30)
        return name_of(unit.function).encode()

    units = [Unit(function, ()) for function in (_write_first, _write_second)]
    objects = side_by_side.compile_side_by_side(units, compile_unit)
    assert objects == [name_of(unit.function).encode() for unit in units]


def test_a_process_that_ends_after_taking_a_unit_is_no_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    def take_and_end(units: object, compile_unit: object, taken: int, sender: object) -> None:
        os.read(taken, 1)
        os._exit(1)

    monkeypatch.setattr(side_by_side, "_cores", lambda: 2)
    monkeypatch.setattr(side_by_side, "_help", take_and_end)
    assert len(_compiled_anew(_write_both).objects) == 3


@pytest.mark.parametrize(
    ("function", "message"),
    [(_calls_nested, "_nested is compiled apart and calls .*_write_second, which is, too"), (_calls_returning, "retu")],
)
@pytest.mark.parametrize("cores", [1, 2])
def test_what_cannot_be_a_unit_is_refused(
    function: object, message: str, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side_by_side, "_cores", lambda: cores)
    with pytest.raises(CompilationError, match=message):
        _compiled_anew(function)


@pytest.mark.parametrize("cores", [1, 2])
def test_progress_reaches_its_total(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "_cores", lambda: cores)
    seen: list[tuple[str, int, int]] = []
    monkeypatch.setattr(watching, "_listeners", [lambda *step: seen.append(step)])
    _compiled_anew(_write_both)
    names, done, total = zip(*seen, strict=True)
    assert set(names) == {"_write_both"}
    assert list(done) == sorted(done)
    assert done[-1] == total[-1] > 0
