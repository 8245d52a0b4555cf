"""Dispatch: chooses the compiled loop of a network, generic or specialised (`models.jit.specialise`).

Specialisation takes some seconds, once per kind of switch. With "auto" it starts when networks of the kind have run for
`PAYS_AFTER` seconds in this process; the total time is then at most twice that of the better choice (the ski-rental
rule). A specialised loop on disk is used at once.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable
from math import inf
from time import thread_time
from typing import Any, Literal

from models.components import TABLES
from models.errors import CompilationError, TsujiError
from models.jit.compiled import entry_point, is_cached
from models.jit.native_types import kind_of
from models.jit.specialise import Known, pins
from sim.engine.loop import run
from sim.engine.state import Engine
from sim.lib.clock import excluded_from_timing
from sim.lib.progress import report

Specialise = Literal[True, False, "auto"]
PAYS_AFTER = 10.0  # seconds of CPU time, about the time of compilation
MESSAGES_PAY_AFTER = 60.0  # with the message layer
COMPILING = "compiling the engine for this switch"

_Kind = tuple[Any, ...]  # the types of the constants (`models.jit.native_types`)

# Seconds of CPU time in the generic loop, by kind of switch, in this process.
_spent: defaultdict[_Kind, float] = defaultdict(float)


class EngineCall:
    """Calls the loop for one network.

    Parameters
    ----------
    specialise : bool or "auto"
        Whether to specialise the loop for the network's switches; "auto": as soon as it pays.
    loop : function
        The loop: `run`, or `sim.engine.loop.run_part`.
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
        self._engine: Engine | None = None  # the latest engine, and the same with constants
        self._specialised: Engine | None = None
        self._kind: _Kind = ()
        self._pays_after = PAYS_AFTER
        self._run: Callable[[Engine, int], None] | None = None
        self.specialised = False  # whether the loop is specialised
        self.engines: list[Engine] = []  # of parts: none, there is one engine

    def __call__(self, e: Engine, end: int) -> None:
        """Advance an engine, of the same kind in each call, to the beginning of cycle `end`."""
        self.prepare(e)
        self.run(e, end)

    def prepare(self, e: Engine) -> None:
        """Choose the loop for the next call of `run`, and compile it if needed."""
        if self._run is None:
            with excluded_from_timing():
                self._begin(e)
        elif self._specialise == "auto" and not self.specialised and _spent[self._kind] >= self._pays_after:
            with excluded_from_timing():
                self._change(e)

    def run(self, e: Engine, end: int) -> None:
        """Advance an engine, after `prepare`, to the beginning of cycle `end`."""
        assert self._run is not None
        if self.specialised:
            self._run(self._with_known(e), end)
        elif self._kind:
            started = thread_time()
            self._run(e, end)
            _spent[self._kind] += thread_time() - started
        else:
            self._run(e, end)

    def _with_known(self, e: Engine) -> Engine:
        """Return the engine with constants; the same object as long as the engine is the same."""
        if self._specialised is None or self._engine is not e:
            self._engine, self._specialised = e, e._replace(**self._known)
        return self._specialised

    def _begin(self, e: Engine) -> None:
        """Choose the first loop."""
        if self._specialise:
            self._known = _known(e)
            constants = self._known["k"], e.hooks, self._known["switches"].k
            self._kind = tuple(kind_of(each) for each in constants)
            self._pays_after = MESSAGES_PAY_AFTER if e.hooks.messages else PAYS_AFTER
            known = e._replace(**self._known)
            self.specialised = self._specialise is True or is_cached(self._loop, known, 0)
        self._run = self._enter(self._loop, known if self.specialised else e, 0)

    def _change(self, e: Engine) -> None:
        """Switch to the specialised loop, or keep the generic one if the compiler fails."""
        report(COMPILING)
        try:
            self._run = self._enter(self._loop, e._replace(**self._known), 0)
            self.specialised = True
        except CompilationError as error:
            _spent[self._kind] = -inf  # do not try again
            warnings.warn(
                f"the generic engine continues; the one for this switch does not compile: {error}", stacklevel=4
            )


def _known(e: Engine) -> dict[str, Any]:
    """Return the fields of an engine that become constants of specialised code."""
    state: Any = e.switches
    first = "position" if state.k.batched else "switch"  # of the block used most (`models.state.placement`)
    known = Known(state.k, pins(e, ("switches", first)), {name: getattr(state, name) for name in TABLES})
    return {"k": Known(e.k), "switches": state._replace(k=known)}
