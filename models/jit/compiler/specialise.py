"""Constants of specialised code, in the compiler (`models.jit.specialise`)."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import ir
from numba.core.imputils import lower_getattr_generic
from numba.core.ir_utils import get_definition, guard
from numba.core.rewrites import Rewrite, register_rewrite
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import models, register_model

from models.jit.specialise import Known


class ConstantType(types.Type):
    """Numba's type of one `Known`, so that each set of constants is a type of its own."""

    def __init__(self, known: Known) -> None:
        super().__init__(name=f"Known({known.digest})")
        self.values, self.pins, self.tables = known.values, known.pins, known.tables


register_model(ConstantType)(models.OpaqueModel)


def _kind(value: bool | int) -> types.Type:
    return types.boolean if isinstance(value, bool) else types.int64


@infer_getattr
class _Fields(AttributeTemplate):
    key = ConstantType

    def generic_resolve(self, kind: ConstantType, name: str) -> types.Type:  # type: ignore[override]
        return _kind(getattr(kind.values, name))


@lower_getattr_generic(ConstantType)
def _constant(context: Any, builder: Any, kind: ConstantType, value: Any, name: str) -> Any:
    found = getattr(kind.values, name)
    return context.get_constant(_kind(found), found)


@register_rewrite("before-inference")
class _KnownChoices(Rewrite):
    """Replaces boolean parameters by literals before type inference, so that numba prunes dead branches.

    So are other parameters that are absent.

    The optimiser would remove these branches as well, but only after they were compiled, at the cost of live ones.
    Other integers are left to the optimiser: typed as literals, they made the code a few per cent slower.
    """

    def __init__(self, state: Any) -> None:
        self._arguments: tuple[types.Type, ...] = state.args

    def match(self, func_ir: Any, block: Any, typemap: Any, calltypes: Any) -> bool:
        """Return whether `block` reads such a parameter."""
        self._func_ir, self._block = func_ir, block
        return any(self._choice(each) is not None for each in block.body)

    def apply(self) -> Any:
        """Return the block with the literals."""
        found = ir.Block(self._block.scope, self._block.loc)
        for each in self._block.body:
            choice = self._choice(each)
            if choice is not None:
                each = ir.Assign(ir.Const(choice, each.loc), each.target, each.loc)
                self._func_ir._definitions[each.target.name] = [each.value]
            found.append(each)
        return found

    def _choice(self, statement: Any) -> bool | int | None:
        value = statement.value if isinstance(statement, ir.Assign) else None
        if not isinstance(value, ir.Expr) or value.op != "getattr":
            return None
        kind: Any = self._kind(value.value)
        if value.attr in getattr(kind, "absent", ()):
            return False if kind.field(value.attr) == types.boolean else 0
        if not isinstance(kind, ConstantType):
            return None
        found = getattr(kind.values, value.attr)
        return found if isinstance(found, bool) else None

    def _kind(self, variable: Any) -> types.Type | None:
        """Return the type of a variable that is an argument, or a field of an argument."""
        found = guard(get_definition, self._func_ir, variable)
        if isinstance(found, ir.Arg):
            return self._arguments[found.index]
        if isinstance(found, ir.Expr) and found.op == "getattr":
            whole: Any = self._kind(found.value)
            kind: types.Type | None = whole.field(found.attr) if hasattr(whole, "field") else None
            return kind
        return None
