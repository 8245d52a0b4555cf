"""Functions that only compiled functions call: compiled once, whatever integers they are given, and kept apart."""

import numpy as np

from models.compiled import compiled
from models.inlined import _Part


@compiled
def _shifted(word: int, by: int = 1, twice: bool = False) -> int:
    return word >> by >> by if twice else word >> by


@compiled
def _in_many_ways(numbers: np.ndarray, number: int, flag: bool) -> int:
    narrow = numbers[0]
    return _shifted(number) + _shifted(12) + _shifted(narrow, 2) + _shifted(number, narrow, flag) + _shifted(7, 1, True)


@compiled
def _of_words(words: np.ndarray) -> int:
    return int(_shifted(words[0], np.uint64(63)))


def test_integers_are_one_type() -> None:
    before = len(_shifted.inner.signatures)
    numbers = np.array([3], np.int8)
    arguments = numbers, 80, False
    assert _in_many_ways(*arguments) == _in_many_ways.py_func(*arguments) == 40 + 6 + 0 + 10 + 1
    assert len(_shifted.inner.signatures) - before <= 1  # none if the caller came from the cache


def test_a_word_of_bits_stays_one() -> None:
    """Taken for a number, its highest bit would be a sign."""
    assert _of_words(np.array([1 << 63], np.uint64)) == 1


def test_what_is_copied_is_not_emitted() -> None:
    shifted = _shifted.inner
    shifted.compile("int64(int64, int64, boolean)")
    for found in shifted.overloads.values():
        assert isinstance(found.library, _Part)
        assert not found.library.codegen._engine.is_symbol_defined(found.fndesc.llvm_func_name)
