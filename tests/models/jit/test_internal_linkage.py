"""Functions that only compiled functions call: compiled once for all integer types, and stored separately."""

import numpy as np
from numba import typeof, types

from models.jit.compiled import compiled
from models.jit.compiler.internal_linkage import _Part


@compiled
def _shifted(word: int, by: int) -> int:
    return word >> by


@compiled
def _moved(word: int, by: int = 1, twice: bool = False) -> int:
    return word >> by >> by if twice else word >> by


@compiled
def _in_many_ways(numbers: np.ndarray, number: int, flag: bool) -> int:
    narrow = numbers[0]
    return _moved(number) + _moved(12) + _moved(narrow, 2) + _moved(number, narrow, flag) + _moved(7, 1, True)


@compiled
def _of_words(words: np.ndarray) -> int:
    return int(_shifted(words[0], np.uint64(63)))


def test_integers_are_one_type() -> None:
    numbers = np.array([3], np.int8)
    arguments = numbers, 80, False
    assert _in_many_ways(*arguments) == _in_many_ways.py_func(*arguments) == 40 + 6 + 0 + 10 + 1
    _in_many_ways.part.compile((typeof(numbers), types.int64, types.boolean))  # the entry point may come from disk
    assert [str(kind) for kind in _moved.part.signatures] == ["(int64, int64, bool)"]


def test_a_word_of_bits_stays_one() -> None:
    """If it were taken as a signed number, its highest bit would be the sign."""
    assert _of_words(np.array([1 << 63], np.uint64)) == 1


def test_what_is_copied_is_not_emitted() -> None:
    shifted = _shifted.part
    shifted.compile("int64(int64, int64)")
    for found in shifted.overloads.values():
        assert isinstance(found.library, _Part)
        assert not found.library.codegen._engine.is_symbol_defined(found.fndesc.llvm_func_name)
