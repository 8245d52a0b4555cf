"""Aggregates routes into entries of a ternary table: one for all addresses that are equal in some bits.

On a binary tree of the addresses, whose levels are the bits of an address in some order, a route at a node holds for
all addresses below it, unless a node further down has another one: the longest match wins. The fewest entries follow
from two passes (Draves et al., INFOCOM 1999; Fitch, 1971): upwards, each node gets the routes that are best for the
addresses below it, those that both halves share or else those of either half; downwards, a node needs an entry only if
the route from above is not among its own. Addresses without a node are indifferent, so an entry may match them. An
entry matches no address to which the switch has no route.

With the highest bit first entries are prefixes. The lowest bit first suits routes that spread destinations by number
over the links up a tree. Where addresses are coordinates, the bits of one dimension after the other suit routes in
dimension order. Each switch takes the order that needs the fewest entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from models.params import index_width
from sim.packets import Int64
from sim.routing.base import Tables
from sim.topology.base import Topology
from sim.topology.coordinates import CoordinateTopology
from sim.topology.hyperx import HyperX

_WORD = 64  # routes per word of a set
_MOST_BITS = 20  # of an address
_NONE = -1

Sets = NDArray[np.uint64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TernaryEntries:
    """Entries of the ternary tables of all switches, [E] each, in order of switch and number.

    Attributes
    ----------
    switch, number : array of int64
        Switch and number of the entry: entries that compare more bits have lower numbers.
    tag, mask : array of int64
        Value, and the bits in which an address equals it.
    column : array of int64
        Column of the tables that has the entry's route.
    """

    switch: Int64
    number: Int64
    tag: Int64
    mask: Int64
    column: Int64

    def per_switch(self, switches: int) -> Int64:
        """Return the number of entries of each of `switches` switches."""
        return np.bincount(self.switch, minlength=switches)


class _Found(NamedTuple):
    """Entries of one switch: tag, mask, number of compared bits, number of the route."""

    tag: Int64
    mask: Int64
    compared: Int64
    route: Int64


def with_ternary_addresses(topology: Topology) -> Topology:
    """Return the network with addresses that suit ternary entries: coordinates as bit fields where it has them."""
    if not isinstance(topology, CoordinateTopology | HyperX):
        return topology
    return topology.with_addresses(topology.coordinate_tags)


def tags_of(topology: Topology, tables: Tables) -> Int64:
    """Return the tag of each column of tables [C]."""
    tags: Int64 = (topology.addresses[:, None] * tables.paths + np.arange(tables.paths)).ravel()
    return tags


def ternary_entries(topology: Topology, tables: Tables) -> TernaryEntries:
    """Return entries with which every switch routes every address as `tables` say: the fewest in the orders tried.

    Raises
    ------
    TsujiError
        If the highest address is too large for a tree of all addresses.
    """
    tags = tags_of(topology, tables)
    bits = index_width(int(tags.max()) + 1)
    if bits > _MOST_BITS:
        raise TsujiError(f'cam.match = "ternary": addresses have {bits} bits; at most {_MOST_BITS} are aggregated')
    orders = _orders(topology, tables, bits)
    routes = _numbered(tables)
    parts: list[tuple[Int64, ...]] = []
    for s in range(topology.switches):
        known = np.flatnonzero(tables.found[s])
        if not len(known):
            continue
        _, first, which = np.unique(routes[s, known], return_index=True, return_inverse=True)
        number = np.full(len(tags), _NONE)
        number[known] = which
        found = min((_aggregated(tags, number, order) for order in orders), key=lambda each: len(each.tag))
        ranked = np.lexsort((found.tag, -found.compared))
        column = known[first[found.route[ranked]]]
        switch, rank = np.full(len(ranked), s), np.arange(len(ranked))
        parts.append((switch, rank, found.tag[ranked], found.mask[ranked], column))
    columns = (np.concatenate(each) for each in zip(*parts, strict=True)) if parts else [np.empty(0, np.int64)] * 5
    return TernaryEntries(*columns)


def _numbered(tables: Tables) -> Int64:
    """Return a number for each route [S, C], the same for equal routes."""
    numbers: Int64 = tables.out.astype(np.int64) << 8 | tables.vc_first.astype(np.int64) << 4 | tables.vc_last
    if tables.choices is not None:
        _, which = np.unique(tables.choices, return_inverse=True)
        numbers |= which.reshape(numbers.shape) << 14
    return numbers


def _orders(topology: Topology, tables: Tables, bits: int) -> list[Int64]:
    """Return orders in which to compare the bits of an address."""
    orders = [np.arange(bits)[::-1], np.arange(bits)]
    low = (tables.paths - 1).bit_length()
    if not isinstance(topology, CoordinateTopology | HyperX) or tables.paths != 1 << low:
        return orders
    if (topology.addresses == topology.coordinate_tags).all():
        fields = []
        for size in topology.radix:
            fields.append(np.arange(low, low + index_width(size))[::-1])
            low += index_width(size)
        kept = np.concatenate(fields)
        orders.append(np.concatenate([kept, np.setdiff1d(orders[0], kept)[::-1]]))
    return orders


def _aggregated(tags: Int64, routes: Int64, order: Int64) -> _Found:
    """Return the fewest entries of a switch whose masks are the first bits of `order`.

    Parameters
    ----------
    tags : array [C]
        Addresses.
    routes : array [C]
        Number of the route to each; `_NONE` for none.
    order : array [bits]
        Bits of an address, in the order of the tree's levels from the root on.
    """
    bits = len(order)
    leaf = sum((tags >> bit & 1) << (bits - 1 - level) for level, bit in enumerate(order))
    sets = np.full((1 << bits, -(-(int(routes.max()) + 1) // _WORD)), ~np.uint64(0))
    is_used = np.zeros(1 << bits, np.bool_)
    sets[leaf] = 0
    word, bit = np.divmod(np.maximum(routes, 0), _WORD)
    sets[leaf, word] = np.where(routes == _NONE, np.uint64(0), np.uint64(1) << bit.astype(np.uint64))
    is_used[leaf] = True
    levels = [(sets, is_used)]
    for _ in range(bits):
        levels.append(_joined(*levels[-1]))
    found = []
    above = np.full(1, _NONE)
    for level, (best, used) in enumerate(reversed(levels)):
        chosen, here = _chosen(best, used, np.repeat(above, 2) if level else above)
        above = here
        place = np.flatnonzero(chosen)
        tag = sum((place >> (level - 1 - k) & 1) << int(bit) for k, bit in enumerate(order[:level]))
        mask = int(sum(1 << int(bit) for bit in order[:level]))
        found.append(
            (tag + np.zeros_like(place), *(np.full_like(place, value) for value in (mask, level)), here[place])
        )
    return _Found(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _joined(sets: Sets, used: Bools) -> tuple[Sets, Bools]:
    """Return the best routes of each pair of nodes, empty if an address has none; and whether it has addresses."""
    low, high = sets[::2], sets[1::2]
    shared = low & high
    joined = np.where(shared.any(axis=1, keepdims=True), shared, low | high)
    joined[~(low.any(axis=1) & high.any(axis=1))] = 0
    return joined, used[::2] | used[1::2]


def _chosen(best: Sets, used: Bools, above: Int64) -> tuple[Bools, Int64]:
    """Return which nodes of a level need an entry, and the number of the route of each node from here on."""
    word, bit = np.divmod(np.maximum(above, 0), _WORD)
    rows: Any = np.arange(len(best))
    keeps = (above != _NONE) & (best[rows, word] >> bit.astype(np.uint64) & np.uint64(1)).astype(np.bool_)
    needs = used & best.any(axis=1) & ~keeps
    first = (best != 0).argmax(axis=1)
    lowest = best[rows, first]
    lowest &= ~lowest + np.uint64(1)
    number = first * _WORD + np.round(np.log2(np.maximum(lowest, np.uint64(1)).astype(np.float64))).astype(np.int64)
    return needs, np.where(needs, number, above)
