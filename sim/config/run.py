"""What concerns a run as a whole: the section [run]."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from models.params import Params


class RunParams(Params):
    """A run as a whole.

    Parameters
    ----------
    seed : int
        Seed of everything random; the same configuration and seed give the same figures on any machine.
    force : bool
        Whether to run in spite of routes that can deadlock.
    stall_cycles : int
        Cycles without any flit moving after which a network with packets in its switches is stalled; the times of links
        to sleep and to wake are added. 0: never, and deadlocks are not looked for either.
    specialise : bool or "auto"
        Whether to compile the engine for switches of these parameters: some ten seconds, once for each kind of switch,
        for a run that is half as fast again. "auto": if it is compiled already, or when such runs took ten seconds
        (`sim.engine.dispatch.PAYS_AFTER`). Figures are the same.
    """

    seed: Annotated[int, Field(ge=0, lt=1 << 63)] = 1
    force: bool = False
    stall_cycles: Annotated[int, Field(ge=0)] = 10_000
    specialise: Literal[True, False, "auto"] = "auto"
