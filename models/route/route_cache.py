"""Route cache of one input port, set-associative (Hirasawa et al., 2020: paper A; microarchitecture.md, section 6).

`rank` of a way is the replacement state: LRU, age of the way; PLRU, tree node (way number = node number, root 1); FIFO,
in way 0, number of the next victim.
"""

from __future__ import annotations

import numpy as np

from models.counters import EVICTIONS, count
from models.jit.compiled import compiled, compiled_noinline
from models.route.crc_hash import crc_hash, crc_rows
from models.state.declare import PORT, Field, Registers, apart, fields, table
from models.state.registers import FIFO, LRU, Records, SwitchState

WAY = np.dtype(
    [("tag", np.int64), ("route", np.int64), ("valid", np.int8), ("rank", np.int32)],
    align=True,
)


@compiled_noinline
def route_cache_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Clear the caches of a switch."""
    if st.k.cached:
        cache_clear(st, s, cycle)


class RouteCacheRegisters(Registers):
    """Ways of the cache of each input port."""

    cache: Records = apart(
        WAY, PORT, lambda n: (n.params.cache.sets, n.params.cache.ways), built=lambda n: n.params.has_cache
    )
    crc_rows: np.ndarray = table(lambda n: crc_rows(n.params.tag_width, n.params.cache.crc_polynomial))
    in_switch = fields(Field("flush_end", np.int64, fill=-1))  # last cycle in which `flushing` is 1
    reset = route_cache_reset


@compiled
def cache_index(st: SwitchState, tag: int) -> int:
    """Return the set index of a tag."""
    return crc_hash(tag, st.crc_rows) & (st.k.sets - 1)


@compiled
def cache_flushing(st: SwitchState, s: int, cycle: int) -> bool:
    """Return whether `flushing` is 1 in `cycle`."""
    end: int = st.switch[s].flush_end
    return cycle <= end


@compiled
def cache_find(st: SwitchState, s: int, p: int, tag: int) -> int:
    """Return the lowest valid way that holds `tag`, or −1."""
    ways = st.cache[s, p, cache_index(st, tag)]
    for way in range(st.k.ways):
        if ways[way].valid and ways[way].tag == tag:
            return way
    return -1


@compiled
def cache_touch(st: SwitchState, s: int, p: int, index: int, used: int) -> None:
    """Update the replacement state: way `used` was used."""
    ways = st.cache[s, p, index]
    if st.k.policy == LRU:
        age = ways[used].rank
        for way in range(st.k.ways):
            if ways[way].rank < age:
                ways[way].rank += 1
        ways[used].rank = 0
    elif st.k.policy != FIFO:
        node = st.k.ways + used
        while node > 1:
            ways[node >> 1].rank = 1 - (node & 1)  # point to the other half
            node >>= 1


@compiled
def _victim(st: SwitchState, s: int, p: int, index: int) -> int:
    ways = st.cache[s, p, index]
    if st.k.policy == LRU:
        for way in range(st.k.ways):
            if ways[way].rank == st.k.ways - 1:
                return way
        return -1
    if st.k.policy == FIFO:
        return int(ways[0].rank)
    node = 1
    while node < st.k.ways:
        node = 2 * node + int(ways[node].rank)
    return node - st.k.ways


@compiled
def cache_fill(st: SwitchState, s: int, p: int, tag: int, route: int) -> None:
    """Insert a route (cycle F+1) into the lowest invalid way, else into the policy's victim."""
    index = cache_index(st, tag)
    ways = st.cache[s, p, index]
    chosen = -1
    for way in range(st.k.ways):
        if not ways[way].valid:
            chosen = way
            break
    if chosen < 0:
        chosen = _victim(st, s, p, index)
        count(st, s, p, EVICTIONS, 1)
        if st.k.policy == FIFO:
            ways[0].rank = chosen + 1 if chosen + 1 < st.k.ways else 0
    ways[chosen].valid = 1
    ways[chosen].tag = tag
    ways[chosen].route = route
    cache_touch(st, s, p, index, chosen)


@compiled
def cache_clear(st: SwitchState, s: int, cycle: int) -> None:
    """Begin a flush in `cycle`: lookups miss and fills are dropped until the sweep has passed all sets."""
    st.switch[s].flush_end = cycle + st.k.sets
    for p in range(st.k.ports):
        for index in range(st.k.sets):
            ways = st.cache[s, p, index]
            for way in range(st.k.ways):
                ways[way].valid = 0
                ways[way].rank = way if st.k.policy == LRU else 0


def copy_caches(source: SwitchState, target: SwitchState) -> None:
    """Replace the contents of the caches of all switches; the reset's flush of `target` is over at once."""
    target.cache[:] = source.cache
    target.switch["flush_end"] = -1
