"""Entry points: from a Python function to machine code that can be stored on disk."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError
from numba.extending import typeof_impl

import models.jit.compiler.atomics
import models.jit.compiler.bits
import models.jit.compiler.prefetch
import models.jit.compiler.simd  # noqa: F401  # what the compiler is taught
from models.errors import CompilationError
from models.jit.callees import Function, closure_of, name_of
from models.jit.compiler.internal_linkage import PartCompiler, optimise_once
from models.jit.compiler.side_by_side import compile_side_by_side
from models.jit.compiler.specialise import ConstantType
from models.jit.compiler.struct_pointer import ReferenceType
from models.jit.compiler.units import Unit, part_type, units_of
from models.jit.disk_cache import Kept
from models.jit.native_code import RESULT_WORDS, words_of
from models.jit.native_types import BOOL, FLOAT, INT, UNSIGNED, Kind, is_array
from models.jit.specialise import Known
from models.jit.watching import begin, expect, object_done

NUMBERS = {INT: types.int64, UNSIGNED: types.uint64, FLOAT: types.float64, BOOL: types.boolean}
SYMBOL = "tsuji_entry"
WORD = ir.IntType(64)
ERROR = ir.IntType(32)


def dispatcher(function: Function) -> Any:
    """Return the numba dispatcher through which compiled functions inline or call `function`.

    Options must be given explicitly: numba passes the caller's flags on to its callees.
    """
    _register(type(function))
    return numba.njit(  # type: ignore[call-overload]
        pipeline_class=PartCompiler,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        error_model="numpy",
        _nrt=False,
        forceinline=function.inline,
    )(function.py_func)


@cache
def _register(kind: type) -> None:
    """Have numba take objects of a class for the functions that they hold."""
    typeof_impl.register(kind)(lambda value, context: part_type(value))


def numba_type(kind: Kind, value: Any) -> Any:
    """Return numba's type of a value of a kind."""
    if isinstance(kind, str):
        return NUMBERS[kind]
    if is_array(kind):
        found: Any = numba.typeof(value)
        return found.copy(layout="A") if kind[2] == "A" else found
    if isinstance(value, Known):
        return ConstantType(value)
    fields = tuple(numba_type(each, field) for each, field in zip(kind[1:], value, strict=True))
    return ReferenceType(types.NamedTuple(fields, type(value)))


@global_compiler_lock
def compile_entry(function: Function, kinds: tuple[Kind, ...], arguments: tuple[Any, ...]) -> Kept:
    """Compile a function for arguments of these kinds, and return the code to store.

    Raises
    ------
    CompilationError
        If numba cannot compile it.
    """
    begin(function.py_func.__name__)
    functions = closure_of(function)
    expect(functions)
    try:
        signature = tuple(map(numba_type, kinds, arguments))
        with _without_garbage_collection():
            function.part.compile(signature)
            entry = _Entry(function.part.overloads[signature], kinds)
            result = entry.result()
            library = entry.library()
            units = units_of(library.module)
            for each in units:  # before the first object is done, so that the share that is done only grows
                expect(closure_of(each.function))
            own = library.emit()
            object_done(functions)
            objects = compile_side_by_side(units, _unit_object)
            return Kept((own, *objects), SYMBOL, result)
    except NumbaError as error:
        raise CompilationError(str(error)) from error


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Collect no garbage: numba's data live until the end, and to look through them takes a twentieth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _unit_object(unit: Unit) -> bytes:
    """Return the object file of a unit.

    Raises
    ------
    CompilationError
        If numba cannot compile it, it returns something, or it calls another unit.
    """
    name = name_of(unit.function)
    try:
        unit.function.part.compile(unit.arguments)
    except NumbaError as error:
        raise CompilationError(str(error)) from error
    part = unit.function.part.overloads[unit.arguments]
    if part.fndesc.restype != types.none:
        raise CompilationError(f"{name} is compiled apart and returns {part.fndesc.restype}; it must return nothing")
    library = _Library(part.target_context.codegen(), unit.symbol)
    library.add_ir_module(_exporting(part, unit.symbol))
    library.add_linking_library(part.library)
    library.finalize()
    for each in units_of(library.module):
        raise CompilationError(f"{name} is compiled apart and calls {name_of(each.function)}, which is, too")
    found = library.emit()
    object_done(closure_of(unit.function))
    return found


def _exporting(part: Any, symbol: str) -> Any:
    """Return a module with a function `symbol` that calls a compiled part, by numba's calling convention."""
    module = part.target_context.create_module(symbol)
    kind = part.target_context.call_conv.get_function_type(part.fndesc.restype, part.fndesc.argtypes)
    callee = ir.Function(module, kind, part.fndesc.llvm_func_name)
    exported = ir.Function(module, kind, symbol)
    builder = ir.IRBuilder(exported.append_basic_block("entry"))
    builder.ret(builder.call(callee, exported.args))
    return module


class _Library(JITCodeLibrary):
    """Code that becomes an object file: only the function of its name can be called, and unused code is left out."""

    def _optimize_final_module(self) -> None:
        for each in self._final_module.functions:
            if not each.is_declaration and each.name != self.name:
                each.linkage = "internal"
        optimise_once(self)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    @property
    def module(self) -> Any:
        """Its LLVM module."""
        return self._final_module

    def emit(self) -> bytes:
        """Return the object file."""
        found: bytes = self._codegen._tm.emit_object(self._final_module)
        return found


class _Entry:
    """Entry point of a compiled function; it reads its arguments from a frame (`models.jit.native_code`)."""

    def __init__(self, part: Any, kinds: tuple[Kind, ...]) -> None:
        self._part, self._kinds = part, kinds
        self._context = part.target_context

    def library(self) -> _Library:
        """Return the code of the entry point, without units that it calls."""
        library = _Library(self._context.codegen(), SYMBOL)
        library.add_ir_module(self._module())
        library.add_linking_library(self._part.library)
        library.finalize()
        return library

    def _module(self) -> Any:
        context, fndesc = self._context, self._part.fndesc
        module = context.create_module(SYMBOL)
        callee = ir.Function(
            module, context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes), fndesc.llvm_func_name
        )
        entry = ir.Function(module, ir.FunctionType(ERROR, [WORD.as_pointer()]), SYMBOL)
        builder = ir.IRBuilder(entry.append_basic_block("entry"))
        frame, at, arguments = entry.args[0], RESULT_WORDS, []
        for kind, each in zip(self._kinds, fndesc.argtypes, strict=True):
            arguments.append(self._argument(builder, builder.gep(frame, [WORD(at)], inbounds=True), kind, each))
            at += words_of(kind)
        status, result = context.call_conv.call_function(builder, callee, fndesc.restype, fndesc.argtypes, arguments)
        with builder.if_then(status.is_error, likely=False):
            builder.store(builder.ptrtoint(status.excinfoptr, WORD), frame)
            builder.ret(ERROR(1))
        values = [result]
        if isinstance(fndesc.restype, types.BaseTuple):
            values = cgutils.unpack_tuple(builder, result)
        for number, (value, kind) in enumerate(zip(values, self._results(), strict=False)):
            builder.store(_word(builder, value, kind), builder.gep(frame, [WORD(number)], inbounds=True))
        builder.ret(ERROR(0))
        return module

    def _argument(self, builder: Any, place: Any, kind: Kind, type_: types.Type) -> Any:
        value_type = self._context.get_value_type(type_)
        if is_array(kind):
            return builder.load(builder.bitcast(place, value_type.as_pointer()))
        word = builder.load(place)
        if kind == BOOL:
            return builder.icmp_unsigned("!=", word, WORD(0))
        if kind == FLOAT:
            return builder.bitcast(word, value_type)
        return word if isinstance(kind, str) else builder.inttoptr(word, value_type)

    def _results(self) -> list[Any]:
        returned: Any = self._part.fndesc.restype
        if isinstance(returned, types.NoneType):
            return []
        return list(self._part.fndesc.restype) if isinstance(returned, types.BaseTuple) else [returned]

    def result(self) -> str | tuple[str, ...]:
        """Return the kind of what it returns (`models.jit.native_types`)."""
        kinds = tuple(_kind(each) for each in self._results())
        if len(kinds) > RESULT_WORDS:
            raise CompilationError(f"{self._part.fndesc.qualname} returns {len(kinds)} numbers, not {RESULT_WORDS}")
        if isinstance(self._part.fndesc.restype, types.BaseTuple):
            return kinds
        return kinds[0] if kinds else ""


def _kind(returned: types.Type) -> str:
    if isinstance(returned, types.Boolean):
        return BOOL
    if isinstance(returned, types.Float):
        return FLOAT
    if isinstance(returned, types.Integer):
        return UNSIGNED if returned == types.uint64 else INT
    raise CompilationError(f"{returned}: a compiled function returns numbers, booleans and tuples of them to Python")


def _word(builder: Any, value: Any, kind: Any) -> Any:
    """Return a number as a 64-bit word."""
    if isinstance(kind, types.Float):
        wide = value if value.type == ir.DoubleType() else builder.fpext(value, ir.DoubleType())
        return builder.bitcast(wide, WORD)
    if value.type == WORD:
        return value
    signed = isinstance(kind, types.Integer) and getattr(kind, "signed", False)
    return builder.sext(value, WORD) if signed else builder.zext(value, WORD)
