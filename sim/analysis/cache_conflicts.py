"""Conflicts of destinations in a set-associative route cache (paper A, section 4): closed form, CRC, and the model.

*Evictions* are counted: destinations are entered one after the other, each once, and a destination that finds its set
full evicts another. Their share is of the cache's entries, as in the paper's figure 5. The number of evictions does not
depend on the replacement policy; for traffic that returns to its destinations, see the hit rate instead.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.counters import EVICTIONS
from models.errors import TsujiError
from models.params import CacheParams, SwitchParams
from models.power_up import new_state
from models.reset import reset
from models.route.crc_hash import crc_rows
from sim.analysis.cache_stream import look_up_all

Int64 = NDArray[np.int64]

POLYNOMIALS = {
    "CRC-16/CCITT": 0x11021,
    "CRC-16/IBM": 0x18005,
    "CRC-16/DNP": 0x13D65,
    "CRC-32": 0x104C11DB7,
    "CRC-32C": 0x11EDC6F41,
}
"""Generators in use, with their leading terms. The paper names none."""


def expected_evictions(entries: int, ways: int, inserted: int) -> float:
    """Return the mean number of evictions by `inserted` random destinations: balls in bins.

    The number of destinations in a set is binomial with `inserted` trials and probability ways / entries; the excess
    over `ways` is evicted.
    """
    _check(entries, ways)
    sets = entries // ways
    if sets == 1:
        return float(max(0, inserted - ways))
    hit, missed = log(1 / sets), log1p(-1 / sets)
    tail = sum(
        (count - ways)
        * exp(
            lgamma(inserted + 1)
            - lgamma(count + 1)
            - lgamma(inserted - count + 1)
            + count * hit
            + (inserted - count) * missed
        )
        for count in range(ways + 1, inserted + 1)
    )
    return sets * tail


def expected_misses(entries: int, ways: int, destinations: int) -> float:
    """Return the miss rate of uniform traffic to random destinations in the steady state.

    If more destinations map to a set than it has ways, it holds any `ways` of them, whatever the policy, because
    references are independent. The miss rate is therefore the share of destinations that would be evicted.
    """
    return expected_evictions(entries, ways, destinations) / destinations


def evictions(tags: Int64, entries: int, ways: int, polynomial: int, tag_width: int = 64) -> int:
    """Return the evictions when each of `tags`, all different, is entered once, with the switch's CRC hash."""
    _check(entries, ways)
    sets = entries // ways
    counts = np.bincount(crc_indices(tags, polynomial, tag_width) % sets, minlength=sets)
    return int(np.maximum(counts - ways, 0).sum())


def crc_indices(tags: Int64, polynomial: int, tag_width: int = 64) -> Int64:
    """Return the CRC of each tag, as `models.route.crc_hash`, for arrays."""
    crc = np.zeros(len(tags), np.int64)
    for bit, row in enumerate(crc_rows(tag_width, polynomial)):
        crc ^= np.where(tags >> np.int64(bit) & 1, row, 0)
    return crc


def random_tags(count: int, seed: int, bits: int = 63) -> Int64:
    """Return distinct random tags: random addresses of `bits` bits."""
    drawn = np.random.default_rng(seed)
    tags = np.unique(drawn.integers(0, 1 << bits, count + 16, dtype=np.int64))
    while len(tags) < count:
        tags = np.unique(np.append(tags, drawn.integers(0, 1 << bits, count, dtype=np.int64)))
    return drawn.permutation(tags)[:count]


class StreamFigures(NamedTuple):
    """Hits and evictions of a stream of lookups.

    Attributes
    ----------
    hits : array
        1 where a lookup hit.
    evictions : int
        Routes evicted.
    """

    hits: Int64
    evictions: int


def stream(
    tags: Int64, cache: CacheParams, ports: Int64 | None = None, port_count: int = 2, tag_width: int = 64
) -> StreamFigures:
    """Look up tags in the route caches of the golden model, in order, and enter those that miss.

    Parameters
    ----------
    tags : array [lookups]
    cache : CacheParams
    ports : array [lookups] or None
        Input port of each lookup; None: one port for all.
    port_count : int
        Ports of the switch.
    tag_width : int
        Bits of a tag.
    """
    where = np.zeros(len(tags), np.int64) if ports is None else np.ascontiguousarray(ports, np.int64)
    if len(where) != len(tags) or (len(where) and not 0 <= where.min() <= where.max() < port_count):
        raise TsujiError(f"ports: must be one of 0 to {port_count - 1} for each of {len(tags)} tags")
    params = SwitchParams(ports=port_count, tag_width=tag_width, cache=cache)
    state = new_state(params)
    reset(state, 0, -1)
    hits = np.zeros(len(tags), np.int64)
    look_up_all(state, np.ascontiguousarray(tags, np.int64), where, hits)
    return StreamFigures(hits, int(state.counters[0, :, EVICTIONS].sum()))


def _check(entries: int, ways: int) -> None:
    if entries < 1 or ways < 1 or entries % ways or not log2(entries // ways).is_integer():
        raise TsujiError(f"entries = {entries}, ways = {ways}: sets must be a power of two")
