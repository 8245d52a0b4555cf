"""Machine code of compiled functions: loading into this process, and calls from Python.

A function takes the address of its frame, which has words for its arguments and room for its result, and returns 0, or
1 if it raised an exception. In the frame a number or boolean takes one word, an array the words that describe it, a
named tuple the address of its fields in memory, with nested tuples inside (`models.jit.native_types`).
"""

from __future__ import annotations

import ctypes
import pickle
from functools import cache
from typing import Any

import numpy as np
from llvmlite import binding

from models.jit.disk_cache import Kept
from models.jit.native_types import (
    ARRAY_WORDS,
    BOOL,
    FLOAT,
    INT,
    UNSIGNED,
    WORD,
    Kind,
    array_words,
    is_array,
    tuple_layout,
)

RESULT_WORDS = 8  # at the beginning of a frame
# Called with the interpreter's lock held, like the compiled code of extension modules; or without, beside threads.
CALL = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
CALL_UNLOCKED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class ExceptionInfo(ctypes.Structure):
    """Exception as numba leaves it: pickled class, arguments and place."""

    _fields_ = (("data", ctypes.c_void_p), ("length", ctypes.c_int32))


@cache
def _machine() -> Any:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple()


class Code:
    """Loaded code of one function for arguments of given kinds.

    Attributes
    ----------
    run, run_unlocked : function
        Called with the address of a frame; the second one releases the interpreter's lock.
    result : str or tuple
        Kind of the result; "" for none.
    """

    def __init__(self, kept: Kept) -> None:
        machine = _machine().create_target_machine(codemodel="jitdefault", jit=True)
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
        for each in kept.objects:
            self._engine.add_object_file(binding.ObjectFileRef.from_data(each))
        self._engine.finalize_object()
        address = self._engine.get_function_address(kept.symbol)
        self.run, self.run_unlocked = CALL(address), CALL_UNLOCKED(address)
        self.result = kept.result


def words_of(kind: Kind) -> int:
    """Return the number of frame words of an argument of this kind."""
    return ARRAY_WORDS + 2 * kind[1] if is_array(kind) else 1


class Fields:
    """Memory with the fields of a named tuple, nested arrays included.

    Parameters
    ----------
    kind : tuple
        Kind of the tuple.
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._bytes = np.zeros(tuple_layout(kind)[1] + WORD, np.uint8)
        self.address = -(-self._bytes.ctypes.data // WORD) * WORD
        self._shift = self.address - self._bytes.ctypes.data
        self._words = self._bytes[self._shift : self._shift + (len(self._bytes) - WORD) // WORD * WORD].view(np.int64)
        self._places = list(_places(kind, 0))
        self._leaves: list[Any] = [self] * len(self._places)  # values written last; `self` for none

    def write(self, value: Any) -> None:
        """Write the fields of `value` that are not the same objects as those written last."""
        leaves: list[Any] = []
        _leaves(self._kind, value, leaves)
        words: list[int] = []
        at: list[int] = []
        for (offset, kind), leaf, before in zip(self._places, leaves, self._leaves, strict=True):
            if leaf is before:
                continue
            if kind == BOOL:
                self._bytes[self._shift + offset] = leaf
                continue
            found = array_words(leaf) if isinstance(leaf, np.ndarray) else [_word(kind, leaf)]
            words += found
            at += range(offset // WORD, offset // WORD + len(found))
        self._words[at] = words
        self._leaves = leaves


def _places(kind: Kind, offset: int) -> Any:
    """Yield the offset and kind of each field, with the fields of nested tuples in their places."""
    for place, field in zip(tuple_layout(kind)[0], kind[1:], strict=True):
        if _is_tuple(field):
            yield from _places(field, offset + place)
        else:
            yield offset + place, field


def _leaves(kind: Kind, value: Any, found: list[Any]) -> None:
    for field, each in zip(kind[1:], value, strict=True):
        if _is_tuple(field):
            _leaves(field, each, found)
        else:
            found.append(each)


def _is_tuple(kind: Kind) -> bool:
    return isinstance(kind, tuple) and kind[0] != "known" and not is_array(kind)


def _word(kind: Kind, value: Any) -> int:
    if kind == FLOAT:
        return int(np.float64(value).view(np.int64))
    if kind == UNSIGNED:
        return int(np.uint64(value).view(np.int64))
    return int(value) if isinstance(kind, str) else 0


class NativeFunction:
    """A compiled function for arguments of given kinds, with a frame of its own.

    A named tuple is written to memory only if it is another object than in the call before.

    Parameters
    ----------
    code : Code
        Loaded code.
    kinds : tuple
        Kinds of the arguments.
    unlocked : bool
        Whether calls release the interpreter's lock, so that other threads run meanwhile.
    """

    def __init__(self, code: Code, kinds: tuple[Kind, ...], unlocked: bool = False) -> None:
        self._run, self._result = code.run_unlocked if unlocked else code.run, code.result
        self._code = code
        self._fields: dict[int, Fields] = {}
        self._written: dict[int, Any] = {}
        self._slots: list[tuple[int, Kind]] = []
        at = RESULT_WORDS
        for number, kind in enumerate(kinds):
            self._slots.append((at, kind))
            if _is_tuple(kind):
                self._fields[number] = Fields(kind)
                self._written[number] = None
            at += words_of(kind)
        self._frame = (ctypes.c_int64 * at)()
        self._address = ctypes.addressof(self._frame)

    def __call__(self, *arguments: Any) -> Any:
        """Call the function with arguments of its kinds; kinds of arrays and tuples are not checked.

        Raises
        ------
        TypeError
            If the number of arguments is wrong, or a number argument is no number.
        """
        if len(arguments) != len(self._slots):
            raise TypeError(f"{len(arguments)} arguments instead of {len(self._slots)}")
        return self.call(arguments)

    def call(self, arguments: tuple[Any, ...]) -> Any:
        """Call it."""
        frame = self._frame
        for number, ((at, kind), value) in enumerate(zip(self._slots, arguments, strict=True)):
            if isinstance(kind, str):
                frame[at] = _word(kind, value)
            elif is_array(kind):
                words: list[Any] = array_words(value)
                frame[at : at + len(words)] = words
            elif number in self._fields:
                fields = self._fields[number]
                if self._written[number] is not value:
                    fields.write(value)
                    self._written[number] = value
                frame[at] = fields.address
        if self._run(self._address):
            _raise(frame[0])
        result = self._result
        if not result:
            return None
        if isinstance(result, str):
            return _number(result, frame[0])
        return tuple(_number(kind, frame[number]) for number, kind in enumerate(result))


def _number(kind: str, word: int) -> Any:
    if kind == INT:
        return word
    if kind == BOOL:
        return word != 0
    return np.int64(word).view(np.float64 if kind == FLOAT else np.uint64).item()


def _raise(address: int) -> None:
    """Raise the exception that compiled code left."""
    info = ExceptionInfo.from_address(address)
    kind, arguments, _ = pickle.loads(ctypes.string_at(info.data, info.length))
    raise kind(*arguments)
