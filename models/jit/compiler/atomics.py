"""Atomic operations in the compiler (`models.jit.atomics`)."""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from models.jit.atomics import atomic_add, atomic_load, give_way, pause, sleep_while, wake
from models.jit.compiler.intrinsic import WORD, call, item_place, no_type, number_type, register_intrinsic

ORDER = "seq_cst"
# An instruction for loops that wait, of processors that have one.
PAUSE = "llvm.x86.sse2.pause" if platform.machine() in ("x86_64", "AMD64") else ""

# Linux's call to sleep until a word of 32 bits changes, and its operations within a process: futex(2).
FUTEX = {"x86_64": 202, "aarch64": 98}.get(platform.machine(), 0) if platform.system() == "Linux" else 0
WAIT, WAKE = 128 | 0, 128 | 1
ALL = (1 << 31) - 1
SLEEP_NS = 10_000_000


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of element `n` of an array of int64; bounds are not checked."""
    assert signature.args[0].dtype == types.int64
    return item_place(context, builder, signature, arguments)


@register_intrinsic(atomic_add, number_type, types.Array, types.Integer, types.Integer)
def _lower_add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    more = context.cast(builder, arguments[2], signature.args[2], types.int64)
    before = builder.atomic_rmw("add", _place(context, builder, signature, arguments), more, ORDER)
    return builder.add(before, more)


@register_intrinsic(atomic_load, number_type, types.Array, types.Integer)
def _lower_load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.load_atomic(_place(context, builder, signature, arguments), ORDER, WORD.width // 8)


@register_intrinsic(pause, no_type)
def _lower_pause(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    if PAUSE:
        call(builder, PAUSE, ir.VoidType(), [])
    return context.get_dummy_value()


@register_intrinsic(give_way, no_type)
def _lower_give_way(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    call(builder, "sched_yield", ir.IntType(32), [])
    return context.get_dummy_value()


@register_intrinsic(sleep_while, no_type, types.Array, types.Integer, types.Integer)
def _lower_sleep(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    if not FUTEX:
        return _lower_give_way(context, builder, signature, arguments)
    seen = context.cast(builder, arguments[2], signature.args[2], types.int64)
    longest = cgutils.alloca_once(builder, ir.ArrayType(WORD, 2))  # a timespec
    builder.store(ir.Constant(ir.ArrayType(WORD, 2), [0, SLEEP_NS]), longest)
    return _futex(context, builder, signature, arguments, WAIT, seen, builder.ptrtoint(longest, WORD))


@register_intrinsic(wake, no_type, types.Array, types.Integer)
def _lower_wake(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    if FUTEX:
        _futex(context, builder, signature, arguments, WAKE, WORD(ALL), WORD(0))
    return context.get_dummy_value()


def _futex(context: Any, builder: Any, signature: Any, arguments: Any, what: int, number: Any, longest: Any) -> Any:
    """Call futex(2) for the lower half of an element, which comes first in memory."""
    place = builder.ptrtoint(_place(context, builder, signature, arguments), WORD)
    system_call = cgutils.get_or_insert_function(builder.module, ir.FunctionType(WORD, [WORD], var_arg=True), "syscall")
    builder.call(system_call, [WORD(FUTEX), place, WORD(what), number, longest, WORD(0), WORD(0)])
    return context.get_dummy_value()
