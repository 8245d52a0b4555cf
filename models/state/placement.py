"""Placement: which registers of a switch are adjacent in memory (`models.state.layout`): those used together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from models.formats import COUNTERS
from models.params import SwitchParams
from models.state.layout import Place, blocks
from models.state.registers import INPUT, OUTPUT, SWITCH, VC, delay_slots
from models.state.vc_set import vc_words


def registers(
    params: SwitchParams,
    counts: tuple[int, int, int],
    of_switch: Sequence[Place] = (),
    of_port: Sequence[Place] = (),
    batched: bool = False,
) -> Any:
    """Return registers, all 0, in the order in which a visit uses them; those seldom used come last.

    Parameters
    ----------
    params : SwitchParams
        Parameters of every switch.
    counts : tuple of int
        Switches, ports of each, VCs of a port.
    of_switch, of_port : sequence of Place
        Arrays of the caller, next to the registers of a switch and to those of a port.
    batched : bool
        Whether switches are batched.

    Returns
    -------
    dict of array
        By name. The block used most begins with `position` in batches, with `switch` elsewhere.
    """
    return _batched(params, counts, of_switch, of_port) if batched else _one_by_one(params, counts, of_switch, of_port)


def _one_by_one(
    params: SwitchParams, counts: tuple[int, int, int], of_switch: Sequence[Place], of_port: Sequence[Place]
) -> Any:
    _, p, v = counts
    words = vc_words(p, v)
    in_switch = [Place("switch", SWITCH), Place("filled", np.int64, (words,))]
    if params.vc_stage:
        in_switch.append(Place("heads", np.int64, (words,)))
    if params.head_delay:
        in_switch.append(Place("delayed", np.int64, (words,)))
        in_switch.append(Place("delay_ends", np.int64, (delay_slots(params.head_delay), words)))
    asking = Place("owners", np.int64, (p + 1, words)) if params.matching else Place("requests", np.int64, (p,))
    in_switch += [asking, *(place.within(p) for place in _by_itself(v))]
    in_switch += [*of_switch, _position(params), *(place.within(p) for place in _stage(params))]
    in_vc = [Place("vc", VC), Place("flits", np.int32, (params.depth,)), Place("routes", np.int64, (params.depth,))]
    return blocks(counts, (in_switch, [*of_port, Place("counters", np.int64, (COUNTERS,))], in_vc))


def _batched(
    params: SwitchParams, counts: tuple[int, int, int], of_switch: Sequence[Place], of_port: Sequence[Place]
) -> Any:
    """Return them in two blocks: most registers are vectors of the batch, few of the others are used in a cycle."""
    _, p, v = counts
    words = vc_words(p, v)
    in_port = [Place("batch_asked", np.int64), *of_port, Place("blocked_heads", np.int64, (words,))]
    in_port += [Place("holder", np.int16, (v,)), *_stage(params)]
    in_vc = [Place("batch_packets", np.int32, (params.depth,)), Place("batch_routes", np.int32, (params.depth,))]
    often: Any = blocks(counts, ([_position(params)], in_port, in_vc))
    in_switch = [Place("switch", SWITCH), Place("filled", np.int64, (words,)), *of_switch]
    in_port = [*_by_itself(v), Place("counters", np.int64, (COUNTERS,))]
    in_vc = [Place("vc", VC), Place("flits", np.int32, (params.depth,))]
    return often | blocks(counts, (in_switch, in_port, in_vc))


def _position(params: SwitchParams) -> Place:
    return Place("position", np.int64, (max(1, len(params.radix)),))


def _stage(params: SwitchParams) -> list[Place]:
    """Return the registers of the VC stage."""
    return [Place(name, np.int16, (params.vcs,)) for name in ("vc_by_priority", "vc_after")] if params.vc_stage else []


def _by_itself(vcs: int) -> list[Place]:
    """Return the registers of a port of a switch that is visited by itself."""
    return [Place("output", OUTPUT), Place("credits", np.int16, (vcs,)), Place("input", INPUT)]
