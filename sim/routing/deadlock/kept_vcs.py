"""What packets hold while they wait for what, where they keep their VCs straight on (`Tables.kept`)."""

from __future__ import annotations

import numpy as np

from sim.routing.base import Tables
from sim.topology.base import NOBODY, Int64

VCS = 0xFFFF  # a channel's range of VCs


def held_and_wanted(tables: Tables, following: Int64, channel: Int64) -> tuple[Int64, Int64]:
    """Return each channel that packets can hold at a switch on their way to an address, and the one they wait for then.

    Wherever packets pass some may have come by another way, and take the VCs of the table.

    Parameters
    ----------
    tables : Tables
        Routes.
    following, channel : array of int64 [S, C]
        Switch after each switch on the way; link << 16 | range of VCs there of a packet that does not keep its own. -1
        where no packet goes on.

    Returns
    -------
    array of int64 [n], array of int64 [n]
        Channels held, with repetitions; wanted, -1 where a packet is at its end.
    """
    if tables.kept is None:
        switch, column = np.nonzero(following != NOBODY)
        return channel[switch, column], channel[following[switch, column], column]
    columns = np.arange(following.shape[1])
    straight = np.isin(tables.out, tables.kept) & (tables.out[following, columns] == tables.out)
    straight &= (following != NOBODY) & (channel[following, columns] != NOBODY)
    held, wanted = [], []
    for vcs in np.unique(channel[channel != NOBODY] & VCS):
        at = _reached((channel != NOBODY) & (channel & VCS == vcs), straight, following)
        switch, column = np.nonzero(at)
        ahead = channel[following[switch, column], column]
        held.append(channel[switch, column] & ~VCS | vcs)
        wanted.append(np.where(straight[switch, column], ahead & ~VCS | vcs, ahead))
    return np.concatenate(held), np.concatenate(wanted)


def _reached(begin: np.ndarray, straight: np.ndarray, following: Int64) -> np.ndarray:
    """Return the places [S, C] to which packets come straight on from those where they begin, and these."""
    at = fresh = begin
    while fresh.any():
        switch, column = np.nonzero(fresh & straight)
        reached = np.zeros_like(at)
        reached[following[switch, column], column] = True
        fresh = reached & ~at
        at = at | fresh
    return at
