"""Channels that packets hold and wait for if they keep their VCs straight on (`Tables.kept`)."""

from __future__ import annotations

import numpy as np

from sim.routing.base import Tables
from sim.topology.base import NOBODY, Int64

VCS = 0xFFFF  # a channel's range of VCs


def held_and_wanted(tables: Tables, following: Int64, channel: Int64) -> tuple[Int64, Int64]:
    """Return each channel that packets to an address can hold at a switch, and the channel for which they then wait.

    At every switch, some packets may have come from another direction, and take the VCs of the table.

    Parameters
    ----------
    tables : Tables
        Routes.
    following, channel : array of int64 [S, C]
        Next switch after each switch; link << 16 | range of VCs of a packet that does not keep its own. -1 where no
        packet goes on.

    Returns
    -------
    array of int64 [n], array of int64 [n]
        Channels held, with repetitions; channels requested, -1 where a packet has arrived.
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
    """Return the places [S, C] that packets reach straight on from `begin`, these included."""
    at = fresh = begin
    while fresh.any():
        switch, column = np.nonzero(fresh & straight)
        reached = np.zeros_like(at)
        reached[following[switch, column], column] = True
        fresh = reached & ~at
        at = at | fresh
    return at
