"""Racks, cables and prices of two hypercubes on the same nodes (paper D, sections 3.1 and 3.3).

A rack holds 16 nodes and their four switches of each plane. Racks are 0.8 m wide, 1.5 m deep, and stand side by side in
rows, with an aisle of 1 m between rows. If the number of racks is a square, a row has four times as many racks as there
are rows, else twice as many: of the two floors that the paper names, these reproduce its printed lengths and latencies
exactly.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError

Int64 = NDArray[np.int64]

WIDTH, PITCH = 0.8, 1.5 + 1.0  # metres between racks of a row, and between rows
SLACK = 2.0  # of a cable between racks
IN_RACK = 1.0  # between two switches of a rack
NODE_CABLE = 2.0  # from a node to its switch: half the height of a rack, plus slack
SWITCHES_A_RACK = NODES_A_SWITCH = 4

# Tables 2 and 3: metres and US$ of the cables on sale; US$ of a network interface with two ports and of a switch port.
CABLE_LENGTHS = np.array([2.0, 2.5, 3.0, 4.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0])
CABLE_PRICES = np.array([134.0, 140.0, 148.0, 242.0, 278.0, 545.0, 575.0, 610.0, 685.0, 975.0, 1665.0])
INTERFACE_PRICE = 485.0
PORT_PRICE = 310.28

SWITCH_NS, CABLE_NS_PER_M, END_NS = 90.0, 5.0, 131.0  # section 3.2.1: ns per switch, per metre, and α


class Floor(NamedTuple):
    """Arrangement of racks.

    Attributes
    ----------
    columns, rows : int
        Racks per row, and rows.
    """

    columns: int
    rows: int


def floor(bits: int) -> Floor:
    """Return the floor for 2^bits switches per plane.

    Raises
    ------
    TsujiError
        If they do not fill a rack.
    """
    if bits < 2:
        raise TsujiError(f"bits = {bits}: a rack holds {SWITCHES_A_RACK} switches of a plane; must be at least 2")
    racks = 1 << (bits - 2)
    if racks < 4:
        return Floor(racks, 1)
    square = isqrt(racks)
    rows = square // 2 if square * square == racks else isqrt(racks // 2)
    return Floor(racks // rows, rows)


def run_between(bits: int, switch: Int64, other: Int64) -> NDArray[np.float64]:
    """Return the metres between pairs of switches, slack included: along rows, then across."""
    columns = floor(bits).columns
    places = [np.divmod(each // SWITCHES_A_RACK, columns) for each in (switch, other)]
    (row, column), (other_row, other_column) = places
    away = WIDTH * np.abs(column - other_column) + PITCH * np.abs(row - other_row)
    return np.where(away == 0, IN_RACK, away + SLACK)


def bought(metres: NDArray[np.float64]) -> Int64:
    """Return the shortest cables on sale that are long enough, as indices into `CABLE_LENGTHS`.

    Raises
    ------
    TsujiError
        If a cable would be longer than any on sale.
    """
    if metres.max(initial=0) > CABLE_LENGTHS[-1]:
        raise TsujiError(f"a cable of {metres.max():.1f} m: the longest on sale is {CABLE_LENGTHS[-1]:g} m")
    kinds: Int64 = np.searchsorted(CABLE_LENGTHS, metres - 1e-9).astype(np.int64)
    return kinds


def cable_lengths(run: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lengths of the cables bought for runs; a cable inside a rack counts as 1 m."""
    return np.where(run == IN_RACK, IN_RACK, CABLE_LENGTHS[bought(run)])


@lru_cache(maxsize=1 << 13)
def generator_mean(bits: int, generator: int) -> tuple[float, float]:
    """Return the mean length and price of a generator's cables, from each switch x to x ⊕ generator.

    A cable inside a rack has the price of the shortest on sale. The paper's costs (figures 6 to 8) would need US$ 108
    to 118 for it; its table 3 begins with US$ 134 for 2 m.
    """
    switch = np.arange(1 << bits)
    run = run_between(bits, switch, switch ^ generator)
    return float(cable_lengths(run).mean()), float(CABLE_PRICES[bought(run)].mean())


def generator_lengths(bits: int) -> NDArray[np.float64]:
    """Return the mean length of the cables of each generator [2^bits]; index 0 is unused."""
    return np.array([0.0, *(generator_mean(bits, generator)[0] for generator in range(1, 1 << bits))])
