"""Allocates the engines of a network's parts, from the engine of the whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from models.jit.simd_type import LANES
from models.jit.specialise import Known
from models.parts import state_of_part
from models.state.layout import aligned
from sim.engine.address import SOURCE_BIT, SWITCH_SHIFT
from sim.engine.batched.bundle_search import bundled
from sim.engine.state import MAIL, Engine, Part
from sim.engine.threads.cut import Cut
from sim.messages.state import EVENT_RECORD
from sim.topology.base import NOBODY
from sim.topology.link_times import LinkTimes

# Fields of an engine that each part has by itself: those that are 0 at reset, and others.
OWN = (
    "clock", "flit", "credit", "listed", "waits", "waits_ends", "later_ends", "shown_by", "shown", "shows",
    "reserves_at", "reserves", "reserve_count", "hints", "hint_ends", "hinting", "hinting_end",
)  # fmt: skip
OWN_AT_RESET = ("flits", "credits", "ends", "wake_first", "later_at", "later_what")
PADDED = 8  # words of a cache line
SENDS = 10  # most flits, credits, hints and reservations that a link carries in a cycle, twice over


def no_part() -> Part:
    """Return the part of a network that is not cut."""
    return Part(
        number=0,
        parts=0,
        window=0,
        spins=0,
        apart=False,
        owner=np.empty(0, np.int16),
        mail=aligned((0,), MAIL),
        mail_begin=np.zeros((2, 0, 0), np.int64),
        mail_end=np.zeros((2, 0, 0, PADDED), np.int64),
        barrier=np.zeros(2 * PADDED, np.int64),
        told=np.zeros((2, 0, PADDED), np.int64),
        found=aligned((0, 0), EVENT_RECORD),
        found_end=np.zeros((0, PADDED), np.int64),
        handed=np.zeros((0, PADDED), np.int64),
        own=np.zeros(PADDED, np.int64),
        pins=np.zeros((0, 0), np.uint8),
        pins_due=np.zeros((0, 0), np.uint8),
        from_part=np.empty(0, np.int64),
        to_batch=np.empty(0, np.int64),
    )


def part_engines(
    e: Engine, cut: Cut, times: LinkTimes, numbers: Iterable[int], spins: int = 0, apart: bool = False
) -> list[Engine]:
    """Return the engines of the parts of these numbers, before the first cycle; `spins` and `apart` as in `Part`."""
    shared = _shared(e, cut)._replace(spins=spins, apart=apart)
    state: Any = e.switches
    bundles = bundled(state, e.link, times, cut.owner) if state.k.batched else e.bundles
    words = aligned((cut.count, len(state.pins_due_words)), np.int64)
    pins = aligned((cut.count, len(state.pins)), state.pins.dtype)
    shared = shared._replace(pins=pins, pins_due=words.view(np.uint8))
    engines = []
    for number in numbers:
        own: Any = state_of_part(state)
        part = shared._replace(number=number, own=np.zeros(2 * PADDED, np.int64))
        if state.k.batched:
            own = own._replace(
                pins=shared.pins[number], pins_due_words=words[number], pins_due=words[number].view(np.uint8)
            )
            from_part, to_batch = batches_reached(e, cut, to=number)
            part = part._replace(from_part=from_part, to_batch=to_batch)
        fields: dict[str, Any] = {name: aligned(getattr(e, name).shape, getattr(e, name).dtype) for name in OWN}
        fields |= {name: getattr(e, name).copy() for name in OWN_AT_RESET}
        hooks = Known(e.hooks.values._replace(parts=True))
        engines.append(e._replace(hooks=hooks, switches=own, bundles=bundles, part=part, **fields))
    return engines


def _shared(e: Engine, cut: Cut) -> Part:
    """Return what is the same in all parts: who owns what, mail, and the barrier."""
    k = e.switches.k
    room = (SENDS + k.vcs) * (cut.links + cut.links.T)
    if e.window:
        room += 2 * np.bincount(cut.owner, (e.link != NOBODY).sum(axis=1), cut.count).astype(np.int64)[:, None]
    room *= cut.window
    begin = np.cumsum([0, *np.tile(room.ravel(), 2)])
    ends = np.zeros((2, cut.count, cut.count, PADDED), np.int64)
    ends[..., 0] = begin[:-1].reshape(ends.shape[:3])
    return no_part()._replace(
        parts=cut.count,
        window=cut.window,
        owner=cut.owner,
        mail=aligned((int(begin[-1]),), MAIL),
        mail_begin=ends[..., 0].copy(),
        mail_end=ends,
        told=np.zeros((2, cut.count, PADDED), np.int64),
        barrier=np.zeros(2 * PADDED, np.int64),
        found=aligned((cut.count, 2 * len(e.sources) if e.hooks.messages else 0), EVENT_RECORD),
        found_end=np.zeros((cut.count, PADDED), np.int64),
        handed=np.full((cut.count, PADDED), NOBODY, np.int64),
    )


def batches_reached(e: Engine, cut: Cut, to: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the batches of part `to` to which other parts send, each with the part that does, which comes first."""
    sender, port = np.nonzero((e.link != NOBODY) & (e.link < SOURCE_BIT))
    receiver = e.link[sender, port] >> SWITCH_SHIFT
    comes = (cut.owner[receiver] == to) & (cut.owner[sender] != to)
    pairs = np.unique(np.stack([cut.owner[sender[comes]].astype(np.int64), receiver[comes] // LANES]), axis=1)
    return pairs[0].copy(), pairs[1].copy()
