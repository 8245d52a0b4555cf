"""Internal linkage: functions that only compiled functions call, optimised one by one, without code of their own.

Numba makes every function callable from Python: it optimises a function together with all its callees and generates
machine code for them. The model's functions call each other ten levels deep, so most code would be generated many times
and never called. Here a function is optimised by itself and linked into its callers; an entry point for Python is
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

from models.jit.watching import part_done


def optimise_once(library: JITCodeLibrary) -> None:
    """Run LLVM's passes over the module of `library`; numba's cheaper passes before them find nothing more here."""
    passes, builder = library._codegen._module_pass_manager()
    passes.run(library._final_module, builder)


class _Part(JITCodeLibrary):
    """Code that is linked into other code, and not executed by itself."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Only set the data layout: the single function is optimised together with its module."""
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        optimise_once(self)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Do nothing: callees are linked and optimised already."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    """Lowers a function to a `_Part`, without machine code."""

    _name = "tsuji_lower_part"

    def run_pass(self, state: Any) -> bool:
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        found = state.cr
        # Numba identifies a compiled function by its entry point for Python: this one is null, and never called.
        null = _dynfunc.make_function(
            found.fndesc.lookup_module(), found.fndesc.qualname, "", 0, found.env, (state.library,)
        )
        state.targetctx.insert_user_function(null, found.fndesc, [state.library])
        part_done(f"{state.func_id.func.__module__}.{state.func_id.func_qualname}")
        state.cr = _LowerResult(found.fndesc, found.call_helper, cfunc=null, env=found.env)
        return True


class PartCompiler(CompilerBase):
    """Numba's pipeline of passes, with `_LowerPart` as lowering."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the pipeline."""
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
    """Numba's type of such a function at its call sites.

    Numba would compile the function anew for each literal argument, each integer width, and each default used. Here
    every integer is an int64; as the function is inlined, literals are still propagated.
    """

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call with arguments of these types."""
        _, folded = self.dispatcher._compiler.fold_argument_types(args, kws)  # type: ignore[attr-defined]
        return super().get_call_type(context, tuple(map(plain, folded)), {})


register_model(PartType)(models.OpaqueModel)


def plain(kind: types.Type) -> types.Type:
    """Return the type to which an argument of type `kind` is converted for a call."""
    if isinstance(kind, types.Omitted) and isinstance(kind.value, int | np.integer):
        kind = types.boolean if isinstance(kind.value, bool) else types.int64
    kind = types.unliteral(kind)
    # uint64 is kept: its shifts and comparisons are unsigned.
    return types.int64 if isinstance(kind, types.Integer) and kind != types.uint64 else kind
