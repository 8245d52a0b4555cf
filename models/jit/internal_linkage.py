"""Compiling functions that are only ever copied into others.

Numba readies every function it compiles to be called from Python: it optimises it together with all that it calls, and
makes instructions of it. The model's functions call each other ten deep, so most of what it made was made many times,
and then never called. Here a function is optimised by itself and kept for those that call it; what Python calls is
optimised as a whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import _dynfunc, types  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering
from numba.extending import models, register_model


class _Part(JITCodeLibrary):
    """Code that is copied into other code, and not executed where it is."""

    def finalize(self) -> None:
        super()._optimize_final_module()
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Do nothing: what this calls is linked to it by now, and optimised already."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    """Makes a `_Part` of a function, in place of what can be executed."""

    _name = "tsuji_lower_part"

    def run_pass(self, state: Any) -> bool:
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        found = state.cr
        # Numba knows a compiled function by its way in from Python: this one leads nowhere, and is not called.
        nowhere = _dynfunc.make_function(
            found.fndesc.lookup_module(), found.fndesc.qualname, "", 0, found.env, (state.library,)
        )
        state.targetctx.insert_user_function(nowhere, found.fndesc, [state.library])
        state.cr = _LowerResult(found.fndesc, found.call_helper, cfunc=nowhere, env=found.env)
        return True


class PartCompiler(CompilerBase):
    """Numba's passes, as it arranges them, but for the last."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the one there is."""
        builder, arranged = DefaultPassBuilder, PassManager("tsuji_part")
        for each in (
            builder.define_untyped_pipeline(self.state),
            builder.define_typed_pipeline(self.state),
            builder.define_nopython_lowering_pipeline(self.state),
        ):
            arranged.passes.extend((_LowerPart if kind is NativeLowering else kind, why) for kind, why in each.passes)
        arranged.finalize()
        return [arranged]


class PartType(types.Dispatcher):
    """Numba's type of such a function where it is called.

    Numba would compile it anew for each number that is given as it stands, each width of integer, and each argument
    that is left out. Here an integer is an integer: what is known of it where the function is called is known in the
    copy.
    """

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature that a call with arguments of these types has."""
        _, folded = self.dispatcher._compiler.fold_argument_types(args, kws)  # type: ignore[attr-defined]
        return super().get_call_type(context, tuple(map(_plain, folded)), {})


register_model(PartType)(models.OpaqueModel)


def _plain(kind: types.Type) -> types.Type:
    """Return the type as which an argument of a type is handed over."""
    if isinstance(kind, types.Omitted) and isinstance(kind.value, int | np.integer):
        kind = types.boolean if isinstance(kind.value, bool) else types.int64
    kind = types.unliteral(kind)
    # An unsigned one of 64 bits is not a number among others: its shifts and comparisons are those of a word of bits.
    return types.int64 if isinstance(kind, types.Integer) and kind != types.uint64 else kind
