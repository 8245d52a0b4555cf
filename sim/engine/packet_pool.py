"""The engine's pool of packets: one record per packet, filled from and copied to columns (`sim.packets`)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.state.layout import aligned
from models.state.registers import Records

ORIGIN = 7  # and its column in `Delivered`


def longer(array: np.ndarray, more: int) -> np.ndarray:
    """Return a copy of an array of records or numbers, with `more` elements of zeros behind them."""
    found = aligned((len(array) + more,), array.dtype)
    found[: len(array)] = array
    return found


@compiled
def put_packets(
    pool: Records,
    places: np.ndarray,
    birth: np.ndarray,
    source: np.ndarray,
    destination: np.ndarray,
    size: np.ndarray,
    tag: np.ndarray,
) -> None:
    """Write n packets, given as columns, into records of the pool."""
    for k in range(len(places)):
        row = pool[places[k]]
        row.birth = birth[k]
        row.source = source[k]
        row.destination = destination[k]
        row.tag = tag[k]
        row.flits = size[k]
        row.hops = 0
        row.flight = 0
        row.lag = 0


@compiled
def take_packets(
    arrived: Records,
    speedup: int,
    latency: int,
    plain: bool,
    paths: int,
    classes: int,
    columns: np.ndarray,
) -> None:
    """Write packets that arrived to the columns of `Delivered`, int64 [11, n]; their `origin` is their own birth.

    With `plain` links the pool does not hold the cycles on links, which follow from the hops. A node has `paths`
    addresses, an equal number of them for each message class.
    """
    for k in range(columns.shape[1]):
        row = arrived[k]
        straight = (int(row.flits) - 1) * speedup
        columns[0, k] = row.source
        columns[1, k] = row.destination
        columns[2, k] = row.flits
        columns[3, k] = row.birth
        columns[4, k] = row.enter
        columns[5, k] = row.eject
        columns[6, k] = row.hops
        columns[ORIGIN, k] = row.birth
        columns[8, k] = (int(row.hops) - 1) * latency if plain else int(row.flight)
        columns[9, k] = straight if plain else max(straight, int(row.lag))
        columns[10, k] = int(row.tag) % paths // (paths // classes)
