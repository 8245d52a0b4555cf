"""Zero-load latency, lookup power and lookup throughput of switches with a route cache (paper A, sections 6 and 7)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from models.errors import TsujiError
from sim.lib.array_check import check_int


class SwitchTimes(NamedTuple):
    """Times of a switch, ns (tables 1, cases 1 and 2; they are the defaults of case 1).

    Attributes
    ----------
    lookup : float
        Routing without a cache: one lookup of the CAM.
    hit : float
        Routing on a hit: hash and cache. A miss adds `lookup`.
    rest : float
        Everything except routing.
    cable : float
        Latency of a link, C. The paper does not state it; 20 ns reproduces its figures 11 and 12.
    """

    lookup: float = 25.0
    hit: float = 2.0
    rest: float = 75.0
    cable: float = 20.0


CASE_1, CASE_2 = SwitchTimes(), SwitchTimes(20.0, 2.0, 40.0)


def destinations(k: int, n: int, dimension: int) -> int:
    """Return the number of destinations of the packets at an input port of a K-ary N-cube (equation 2).

    Parameters
    ----------
    k, n : int
        K, odd, and N.
    dimension : int
        Dimension of the port, 1 to N in routing order; 0: the port of the local node.
    """
    check_int("k", k, 3)
    if k % 2 == 0:
        raise TsujiError(f"k = {k}: must be odd, as in the paper; an even ring has a farthest router on both ways")
    check_int("dimension", dimension, 0, n)
    return int(k**n - 1 if dimension == 0 else k ** (n - dimension) * (k // 2))


def hit_rate(k: int, n: int, dimension: int, entries: int) -> float:
    """Return the hit rate of a port's cache in the steady state, without conflicts (equations 1 and 2)."""
    return min(1.0, entries / destinations(k, n, dimension))


def greatest_latency(k: int, n: int, hits: ArrayLike, times: SwitchTimes = CASE_1) -> float:
    """Return the greatest mean zero-load latency, ns: ⌊K/2⌋ links in every dimension (equations 3 and 4).

    Parameters
    ----------
    k, n : int
        K and N.
    hits : array_like [n + 1]
        Hit rate at a local port, then at a port of each dimension.
    times : SwitchTimes
    """
    switch = times.rest + times.hit + times.lookup * (1 - np.asarray(hits, np.float64)) + times.cable
    return float(switch[0] + k // 2 * switch[1:].sum() + times.cable)


def conventional_latency(k: int, n: int, times: SwitchTimes = CASE_1) -> float:
    """Return the greatest mean zero-load latency without caches, ns."""
    return (1 + n * (k // 2)) * (times.rest + times.lookup + times.cable) + times.cable


def reduction(k: int, n: int, entries: int, times: SwitchTimes = CASE_1) -> float:
    """Return the share by which a cache of `entries` entries cuts the greatest zero-load latency (figures 11, 12)."""
    hits = [hit_rate(k, n, dimension, entries) for dimension in range(n + 1)]
    return 1 - greatest_latency(k, n, hits, times) / conventional_latency(k, n, times)


class LookupEnergy(NamedTuple):
    """Energies and powers of table lookups (section 7.1).

    Attributes
    ----------
    cache_nj, cam_nj : float
        Energy per lookup in a cache and in the CAM, nJ.
    cache_mw, cam_mw : float
        Static power of one cache and of the CAM, mW.
    """

    cache_nj: float = 0.039
    cam_nj: float = 42.0
    cache_mw: float = 13.0
    cam_mw: float = 36.0


class LookupPower(NamedTuple):
    """Power of a switch's lookups, W (equation 5)."""

    cache_dynamic: float
    cache_static: float
    cam_dynamic: float
    cam_static: float

    @property
    def total(self) -> float:
        """Sum of the four parts."""
        return sum(self)


def lookup_power(
    packets: float, misses: float | None, ports: int = 7, energy: LookupEnergy | None = None
) -> LookupPower:
    """Return the power of a switch's lookups.

    Parameters
    ----------
    packets : float
        Packets looked up per second.
    misses : float or None
        Share of packets that miss the cache; None: a switch without caches, in which each packet looks up the CAM.
    ports : int
        Input ports, each with one cache.
    energy : LookupEnergy or None
        None: the paper's.
    """
    energy = energy or LookupEnergy()
    if misses is None:
        return LookupPower(0.0, 0.0, packets * energy.cam_nj * 1e-9, energy.cam_mw * 1e-3)
    return LookupPower(
        packets * energy.cache_nj * 1e-9,
        ports * energy.cache_mw * 1e-3,
        packets * energy.cam_nj * 1e-9 * misses,
        energy.cam_mw * 1e-3,
    )


def lookup_throughput(misses: float, ports: int = 1, cache_ns: float = 1.0, cam_ns: float = 25.0) -> float:
    """Return the greatest lookup rate of a switch, packets per second (equation 7; equation 6 is `misses` = 1).

    The paper writes min(1/L_cache, 1/(L_cam · misses)): the cache of *one* port against the CAM of *all* ports, which
    is `ports` = 1. With `ports` busy ports, the caches together take `ports` times as many lookups, and the knee moves
    to a miss rate `ports` times smaller.
    """
    if not 0 <= misses <= 1:
        raise TsujiError(f"misses = {misses}: must be from 0 to 1")
    caches = ports / cache_ns
    return 1e9 * (min(caches, 1 / (cam_ns * misses)) if misses else caches)
