"""A stream of lookups through route caches of input ports: the caches of the model, without a network around."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.route.route_cache import cache_fill, cache_find, cache_index, cache_touch
from models.state.registers import SwitchState


@compiled
def look_up_all(st: SwitchState, tags: np.ndarray, ports: np.ndarray, hits: np.ndarray) -> None:
    """Look each tag up in the cache of its port, in order, and enter those that miss.

    Parameters
    ----------
    st : SwitchState
        The switch; its counters count evictions.
    tags : numpy.ndarray
        int64 [lookups]: destinations.
    ports : numpy.ndarray
        int64 [lookups].
    hits : numpy.ndarray
        int64 [lookups], out: 1 where the tag hit.
    """
    for number in range(len(tags)):
        port, tag = ports[number], tags[number]
        way = cache_find(st, 0, port, tag)
        hits[number] = way >= 0
        if way >= 0:
            cache_touch(st, 0, port, cache_index(st, tag), way)
        else:
            cache_fill(st, 0, port, tag, 0)
