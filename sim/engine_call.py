"""Which compiled loop advances a network: that of all switches, or one compiled for its own (`models.specialised`).

To compile one takes some seconds, once for a kind of switch. Where it is left to us, that is done when networks of the
kind have taken as long: what will yet come is not known, and so they never take more than twice what the better choice
would have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, Literal

from models.compiled import way_in
from models.specialised import Known, pins
from models.state import TABLES
from sim.engine import run
from sim.engine_state import Engine
from sim.stopped_clock import cpu_s, stopped

Specialise = Literal[True, False, "auto"]
PAYS_AFTER = 10.0  # seconds of CPU time, about what it takes to compile

_spent: defaultdict[tuple[Any, ...], float] = defaultdict(
    float
)  # seconds in the loop of all switches, by kind, in this process


class EngineCall:
    """Calls the loop for one network.

    Parameters
    ----------
    specialise : bool or "auto"
        Whether the loop is compiled for the network's switches; "auto": as soon as that pays.
    """

    def __init__(self, specialise: Specialise) -> None:
        self._specialise = specialise
        self._known: dict[str, Any] = {}
        self._run: Callable[[Engine, int], None] | None = None

    @property
    def specialised(self) -> bool:
        """Whether the loop is compiled for the network's switches."""
        return bool(self._known)

    def __call__(self, e: Engine, end: int) -> None:
        """Advance an engine, which is of the same kind at each call, to the beginning of cycle `end`."""
        kind = (e.k, e.switches.k)
        pays = self._specialise == "auto" and _spent[kind] >= PAYS_AFTER
        if (self._specialise is True or pays) and not self.specialised:
            self._known, self._run = _known(e), None
        e = e._replace(**self._known)
        if self._run is None:
            with stopped():
                self._run = way_in(run, e, 0)
        started = cpu_s()
        self._run(e, end)
        if not self.specialised:
            _spent[kind] += cpu_s() - started


def _known(e: Engine) -> dict[str, Any]:
    """Return the fields of an engine of which the compiler may know more."""
    state: Any = e.switches
    known = Known(state.k, pins(e, ("switches", "switch")), {name: getattr(state, name) for name in TABLES})
    return {"k": Known(e.k), "switches": state._replace(k=known)}
