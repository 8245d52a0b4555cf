"""The section [run]: parameters of a run as a whole."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from models.params import Params


class RunParams(Params):
    """Parameters of a run as a whole.

    Parameters
    ----------
    seed : int
        Seed of all random numbers; the same configuration and seed give the same figures on any machine.
    force : bool
        Whether to run despite routes that can deadlock.
    stall_cycles : int
        Cycles in which no flit moves after which a network with packets in its switches is stalled; the times of links
        to sleep and to wake are added. 0: no detection of stalls and deadlocks.
    specialise : bool or "auto"
        Whether to compile the engine for switches of these parameters: about 25 CPU s, once per kind of switch, makes
        runs 1.6 to 1.9 times as fast. "auto": if it is compiled already, or if it saves more time than it takes, by
        the expected end of the run and of the sweep (`sim.engine.payback`). Figures do not change.
    threads : int or "auto"
        Threads that advance one network (`sim.engine.threads`). "auto": one per 512 switches, at most one per
        processor, and 1 in the workers of a sweep and where only one is possible. Figures do not change.
    simd : bool or "auto"
        Whether to advance 64 switches at a time, in SIMD registers (`sim.engine.batched.choice`). "auto": where the
        switches allow it, in networks of 32 and more, without messages of ranks, most of which keep few switches busy.
        Figures do not change.
    """

    seed: Annotated[int, Field(ge=0, lt=1 << 63)] = 1
    force: bool = False
    stall_cycles: Annotated[int, Field(ge=0)] = 10_000
    specialise: Literal[True, False, "auto"] = "auto"
    threads: Annotated[int, Field(ge=1, le=64)] | Literal["auto"] = 1
    simd: Literal[True, False, "auto"] = "auto"
