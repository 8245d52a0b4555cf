"""Routing on a hyper-crossbar: exchangers and crossbars (Boku et al.: paper E; microarchitecture.md, section 12)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.state.declare import Field, Registers, Sizes, fields
from models.state.registers import NO_PORT


def _crossbar(n: Sizes) -> int:
    return NO_PORT if n.params.crossbar is None else n.params.crossbar


class HyperCrossbarRegisters(Registers):
    """What a switch of a hyper-crossbar is."""

    # dimension of a crossbar, or NO_PORT: an exchanger, or any other switch
    in_switch = fields(Field("crossbar", np.int8, fill=_crossbar, kept=True))


@compiled
def exchange(destination: np.ndarray, local: int, position: np.ndarray) -> tuple[int, int]:
    """Return (out, choices) at the exchanger at `position`: lowest dimension that differs, and mask of all that differ.

    Parameters
    ----------
    destination, position : numpy.ndarray
        Coordinates, int64 [dimensions].
    local : int
        Local port of the destination, from 0.
    """
    choices = 0
    out = len(position) + local
    for d in range(len(position) - 1, -1, -1):
        if destination[d] != position[d]:
            choices |= 1 << d
            out = d
    return out, choices


@compiled
def coordinate(tag: int, d: int, coordinate_bits: np.ndarray) -> int:
    """Return coordinate `d` of `tag`: at the crossbar of dimension `d`, the output port."""
    shift = 0
    for lower in range(d):
        shift += coordinate_bits[lower]
    width: int = coordinate_bits[d]
    return (tag >> shift) & ((1 << width) - 1)
