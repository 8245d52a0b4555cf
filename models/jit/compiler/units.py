"""Units: functions with an object file of their own, so that processes can compile them side by side.

Where a unit is called, only its symbol is known; it is found when the object files are loaded. What several units
inline or call is in the object file of each. The calling convention is numba's, so exceptions pass.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NamedTuple

from numba import types
from numba.core import typing
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.extending import models, register_model

from models.errors import CompilationError
from models.jit.callees import Function, name_of
from models.jit.compiler.internal_linkage import PartType, plain

PREFIX = "tsuji.unit."


class Unit(NamedTuple):
    """A function that is compiled apart, for arguments of given types."""

    function: Function
    arguments: tuple[types.Type, ...]

    @property
    def symbol(self) -> str:
        """Name that its object file exports."""
        digest = sha256(repr(self.arguments).encode()).hexdigest()
        return f"{PREFIX}{name_of(self.function)}.{digest[:16]}"


_called: dict[str, Unit] = {}  # units that compiled code of this process calls, by symbol


def units_of(module: Any) -> list[Unit]:
    """Return the units that an LLVM module calls."""
    return [_called[each.name] for each in module.functions if each.is_declaration and each.name.startswith(PREFIX)]


def part_type(function: Any) -> types.Type:
    """Return numba's type of a compiled function at its call sites."""
    return UnitType(function) if function.apart else PartType(function.part)


class UnitType(types.Callable, types.Dummy):
    """Numba's type of a unit where it is called.

    Parameters
    ----------
    function : Function
        The unit.
    """

    def __init__(self, function: Function) -> None:
        super().__init__(name=f"unit({name_of(function)}, {id(function)})")
        self._function = function

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call with arguments of these types; units return nothing."""
        _, folded = self._function.part._compiler.fold_argument_types(args, kws)
        unit = Unit(self._function, tuple(map(plain, folded)))
        if unit.symbol not in _called:
            _called[unit.symbol] = unit
            declared = ExternalFunctionDescriptor(unit.symbol, types.none, unit.arguments)
            self._function.part.targetctx.insert_user_function(unit.symbol, declared)
        if _called[unit.symbol] != unit:
            raise CompilationError(f"two functions that are compiled apart are named {name_of(self._function)}")
        return typing.signature(types.none, *unit.arguments)

    def get_call_signatures(self) -> tuple[list[Any], bool]:
        """Return the signatures known: any is possible."""
        return [], True

    def get_impl_key(self, sig: Any) -> str:
        """Return the key of the implementation, which is a declaration."""
        return Unit(self._function, sig.args).symbol


register_model(UnitType)(models.OpaqueModel)
