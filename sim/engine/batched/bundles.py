"""Bundles: links of a batch whose flits and credits move by one permutation of lanes (`models.batched.link`).

The flits or credits that the switches of a batch send at a port are one vector, and so are those visible at the pins
behind it. Links that all lead to pins of one batch only permute lanes, by the same permutation in both directions. A
port that would need many bundles, or whose links can be busy, is irregular: its links are handled one by one.
`sim.engine.batched.bundle_search` finds the bundles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.batched.link import pins_at, pins_slot
from models.jit.compiled import compiled
from models.jit.lanes import batch_of, lane_of
from models.jit.simd import movemask, permute, simd_load, simd_store
from models.jit.simd_type import LANES, Vector
from models.jit.struct_pointer import struct_pointer
from models.state.registers import Records, SwitchState

IRREGULAR = -1  # in place of the number of bundles
IDENTITY = -1  # in place of a permutation: lanes keep their order
CYCLES_SHIFT = 32  # a link as an integer: cycles << 32 | pin
PIN = (1 << CYCLES_SHIFT) - 1

NONE = -1  # in place of pins

PORT = np.dtype([("first", np.int32), ("count", np.int32)], align=True)  # bundles of a port are adjacent

BUNDLE = np.dtype(
    [
        ("batch", np.int32),  # batch of the pins
        ("mask", np.int32),  # vector of `maps`: mask of the lanes where its links lead
        ("places", np.int32),  # vector of `maps`: the permutation, source lane of each lane; or IDENTITY
        ("flits", np.int32),  # pins of that batch at which flits arrive, or NONE
        ("flit_cycles", np.int32),  # cycles until they are visible
        ("credits", np.int32),
        ("credit_cycles", np.int32),
    ],
    align=True,
)


@struct_pointer
class Bundles(NamedTuple):
    """Destinations of links. Shapes: R batches of L lanes, P ports, each with two sides: credits and flits."""

    pins: np.ndarray  # int64 [R · 2P · L]: pin at which a flit or a credit is visible, and the cycles until then
    ports: Records  # PORT [R · P]
    bundles: Records  # BUNDLE
    maps: np.ndarray  # vectors [maps · L]
    nodes: np.ndarray  # vectors of sets of outputs [R · L]: outputs that lead to nodes


@compiled
def link_of(st: SwitchState, s: int, which: int) -> int:
    """Return the index of a switch's link in `Bundles.pins`; `which` is an input port, or P + an output port."""
    return (batch_of(s) * 2 * st.k.ports + which) * LANES + lane_of(s)


@compiled
def carry(st: SwitchState, b: Bundles, port: int, credits: Vector, flits: Vector, vcs: Vector, cycle: int) -> None:
    """Make what a batch sends in `cycle` at a regular port visible at the pins behind its links.

    Nodes accept flits at once: behind links to nodes, the VCs of flits become visible as credits.
    """
    first = b.ports[port].first
    for n in range(first, first + b.ports[port].count):
        bundle = b.bundles[n]
        if bundle.flits != NONE:
            seen = flits if bundle.flits < st.k.ports else vcs
            _put(st, bundle.batch, bundle.flits, cycle + bundle.flit_cycles, _permuted(b, bundle, seen))
        if bundle.credits != NONE:
            _put(st, bundle.batch, bundle.credits, cycle + bundle.credit_cycles, _permuted(b, bundle, credits))


@compiled
def _permuted(b: Bundles, bundle: Records, values: Vector) -> Vector:
    """Return the values that a bundle carries, permuted to their destination lanes."""
    moved = values if bundle.places == IDENTITY else permute(values, simd_load(b.maps, bundle.places))
    return moved & simd_load(b.maps, bundle.mask)


@compiled
def _put(st: SwitchState, batch: int, which: int, cycle: int, values: Vector) -> None:
    """Make values visible at pins of a batch in `cycle`."""
    if movemask(values):
        slot = pins_slot(st, cycle)
        pins = pins_at(st, slot, batch, which)
        simd_store(st.pins, pins, simd_load(st.pins, pins) | values)
        st.pins_due[slot * st.pin_batches + batch] = 1
