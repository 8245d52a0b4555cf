"""Snapshots of the packet at the front of every buffer: an unchanged one has not moved (`stalls.stall`)."""

from __future__ import annotations

import numpy as np

from models.batched.switch import front_packet
from models.jit.bits import assume_u32, each_member
from models.jit.compiled import compiled
from models.jit.lanes import switch_in
from models.readout import flits_held, occupied_mask, owns_vc
from models.state.registers import Records, SwitchState

BIRTH_BITS = 20  # low bits of a packet's birth; the rest of 64 bits are its number and the flits held


@compiled
def front_of(st: SwitchState, s: int, p: int, v: int) -> int:
    """Return the packet at the front of an input VC; for an empty VC that is not batched, a stale packet."""
    if st.k.batched:
        return front_packet(st, s, p, v)
    return int(st.flits[s, p, v, st.vc[s, p, v].read]) >> 1


@compiled
def note_fronts(st: SwitchState, packets: Records, before: np.ndarray, fronts: np.ndarray, still: np.ndarray) -> None:
    """Write a fingerprint of each input VC's front packet into `fronts` [S, P, V], which holds NOBODY.

    In `still` [S, P, V], initially False, the VCs whose fingerprint equals that in `before` become True. The
    fingerprint includes the packet's birth, because numbers in `packets` are reused; it does not where the next flits
    have not arrived, because the number is not known there.
    """
    if st.k.batched:
        _note_batches(st, packets, before, fronts, still)
        return
    switches, ports, vcs = fronts.shape
    for s in range(switches):
        for p in range(ports):
            for v in range(vcs):
                if flits_held(st, s, p, v) > 0 or owns_vc(st, s, p, v):
                    _note_one(st, packets, (s, p, v), before, fronts, still)


@compiled
def _note_batches(st: SwitchState, packets: Records, before: np.ndarray, fronts: np.ndarray, still: np.ndarray) -> None:
    """Write the fingerprints of batched switches."""
    _, ports, vcs = fronts.shape
    for batch in range(st.batch_count):
        for p in range(ports):
            for v in range(vcs):
                for lane in each_member(occupied_mask(st, batch, p, v)):
                    s = assume_u32(switch_in(batch, lane))
                    _note_one(st, packets, (s, p, v), before, fronts, still)


@compiled
def _note_one(
    st: SwitchState,
    packets: Records,
    buffer: tuple[int, int, int],
    before: np.ndarray,
    fronts: np.ndarray,
    still: np.ndarray,
) -> None:
    """Write the fingerprint of one input VC."""
    s, p, v = buffer
    packet, flits = front_of(st, s, p, v), flits_held(st, s, p, v)
    birth = packets[packet].birth & (1 << BIRTH_BITS) - 1 if flits > 0 else 0
    front = birth << 63 - BIRTH_BITS | packet * (st.k.depth + 1) + flits
    still[buffer] = front == before[buffer]
    fronts[buffer] = front
