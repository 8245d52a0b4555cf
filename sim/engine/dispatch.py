"""Dispatch: chooses the compiled loop of a network, generic or specialised (`models.jit.specialise`).

Specialisation takes some seconds, once per kind of switch. With "auto" it starts when it pays (`sim.engine.payback`). A
specialised loop on disk is used at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import thread_time
from typing import Any, Literal

from models.components import TABLES
from models.constants import LeanConstants as LeanSwitches
from models.errors import CompilationError, TsujiError
from models.jit.compiled import entry_point, is_cached
from models.jit.native_types import kind_of
from models.jit.specialise import Known, pins
from sim.engine.loop import run
from sim.engine.one_process import OneProcess
from sim.engine.payback import Payback
from sim.engine.state import Engine, LeanConstants
from sim.lib.clock import excluded_from_timing
from sim.lib.progress import report

Specialise = Literal[True, False, "auto"]
COMPILING = "compiling the engine for this switch"

_Kind = tuple[Any, ...]  # the types of the constants (`models.jit.native_types`)


class EngineCall(OneProcess):
    """Calls the loop for one network.

    Parameters
    ----------
    specialise : bool or "auto"
        Whether to specialise the loop for the network's switches; "auto": as soon as it pays.
    loop : function
        The loop: `run`, or `sim.engine.threads.part_loop.run_part`.
    enter : function
        Finds its compiled code, as `models.jit.compiled.entry_point`.

    Raises
    ------
    TsujiError
        If `specialise` is something else.
    """

    def __init__(
        self, specialise: Specialise, loop: Callable[..., Any] = run, enter: Callable[..., Any] | None = None
    ) -> None:
        if not isinstance(specialise, bool) and specialise != "auto":
            raise TsujiError(f'specialise = {specialise!r}: must be True, False or "auto"')
        self._specialise: Specialise = specialise
        self._loop, self._enter = loop, enter or entry_point
        self._known: dict[str, Any] = {}
        self._lean: dict[str, Any] = {}
        self._engine: Engine | None = None  # the latest engine, and the same with constants
        self._replaced: Engine | None = None
        self._kind: _Kind = ()
        self._payback = Payback(self._kind)
        self._end = 0
        self._run: Callable[[Engine, int], None] | None = None
        self.specialised = False  # whether the loop is specialised
        self.engines = []  # of parts: none, there is one engine

    def __call__(self, e: Engine, end: int) -> None:
        """Advance an engine, of the same kind in each call, to the beginning of cycle `end`."""
        self.prepare(e)
        self.run(e, end)

    def prepare(self, e: Engine) -> None:
        """Choose the loop for the next call of `run`, and compile it if needed."""
        if self._run is None:
            with excluded_from_timing():
                self._begin(e)
        elif self._specialise == "auto" and not self.specialised and self._payback.pays(int(e.clock[0].cycle)):
            with excluded_from_timing():
                self._change(e)

    @property
    def begun(self) -> bool:
        """Whether there is a loop: compiled, or loaded from disk."""
        return self._run is not None

    def run(self, e: Engine, end: int) -> None:
        """Advance an engine, after `prepare`, to the beginning of cycle `end`."""
        assert self._run is not None
        known = self._with_known(e)
        if self.specialised or not self._kind:
            self._run(known, end)
        else:
            started, begin = thread_time(), int(e.clock[0].cycle)
            self._run(known, end)
            self._payback.spend(thread_time() - started, int(e.clock[0].cycle) - begin)

    def expect(self, end: int) -> None:
        """Say in which cycle the run is expected to end."""
        self._end = end
        self._payback.expect(end)

    def _with_known(self, e: Engine) -> Engine:
        """Return the engine with constants; the same object as long as the engine is the same."""
        if self._replaced is None or self._engine is not e:
            self._engine, self._replaced = e, e._replace(**self._known if self.specialised else self._lean)
        return self._replaced

    def _begin(self, e: Engine) -> None:
        """Choose the first loop."""
        self._lean = _lean(e)
        if self._specialise:
            self._known = _known(e)
            constants = self._known["k"], e.hooks, self._known["switches"].k
            self._kind = tuple(kind_of(each) for each in constants)
            self._payback = Payback(self._kind)
            self._payback.expect(self._end)
            known = e._replace(**self._known)
            self.specialised = self._specialise is True or is_cached(self._loop, known, 0)
        self._run = self._enter(self._loop, known if self.specialised else e._replace(**self._lean), 0)

    def _change(self, e: Engine) -> None:
        """Switch to the specialised loop, or keep the generic one if the compiler fails."""
        report(COMPILING)
        try:
            self._run = self._enter(self._loop, e._replace(**self._known), 0)
            self.specialised, self._replaced = True, None
        except CompilationError as error:
            self._payback.give_up()
            warnings.warn(
                f"the generic engine continues; the one for this switch does not compile: {error}", stacklevel=4
            )


def _lean(e: Engine) -> dict[str, Any]:
    """Return the fields to replace in an engine without features that few have; none if it has one of them."""
    state: Any = e.switches
    k, of_switches = LeanConstants(*e.k), LeanSwitches(*state.k)
    if any(getattr(each, name) for each in (k, of_switches) for name in each.ABSENT):
        return {}
    return {"k": k, "switches": state._replace(k=of_switches)}


def _known(e: Engine) -> dict[str, Any]:
    """Return the fields of an engine that become constants of specialised code."""
    state: Any = e.switches
    first = "position" if state.k.batched else "switch"  # of the block used most (`models.state.placement`)
    known = Known(state.k, pins(e, ("switches", first)), {name: getattr(state, name) for name in TABLES})
    return {"k": Known(e.k), "switches": state._replace(k=known)}
