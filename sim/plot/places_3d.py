"""Places of switches, and courses of links between them, in views in space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.plot.topology_places import Places, places
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.coordinates import CoordinateTopology
from sim.topology.hypercube import Hypercube
from sim.topology.hyperx import HyperX
from sim.topology.torus import Grid

AXES = 3
GAP = 1.5  # gap between the copies for fourth and later dimensions, or planes
CLEAR = 0.2  # radius around a switch, relative to the least distance of two switches
MIDDLE = 0.48  # share of a link's length at which its half ends
BEND = 0.18  # deviation of a bent link from the straight line, relative to its length
PIECES = 5  # segments of the half of a bent link
BLOCK = 256  # switches at a time whose distances to all others are computed


class Segments(NamedTuple):
    """Straight segments of links.

    Attributes
    ----------
    ends : array [M, 2, 3]
        Both ends of each segment.
    link : array [M]
        Link of each segment.
    """

    ends: Places
    link: Int64


def places_3d(topology: Topology, planes: int = 1) -> Places:
    """Return the place of each switch [planes · S, 3]; the nearest two of a plane are 1 apart.

    Parameters
    ----------
    topology : Topology
        Topology of a plane. Coordinates that are places become the axes; fourth and later dimensions repeat the picture
        side by side. Other networks lie flat, as in `sim.plot.topology_places.places`, or at their positions if these
        are in space.
    planes : int
        Number of planes, placed behind one another.
    """
    found = _in_space(topology)
    found = found / least_distance(found)
    step = np.zeros(AXES)
    axis = int(np.argmin(np.ptp(found, axis=0)))
    step[axis] = np.ptp(found[:, axis]) + GAP
    return np.concatenate([found + plane * step for plane in range(planes)])


def _in_space(topology: Topology) -> Places:
    """Return places [S, 3] of one plane, in any unit."""
    regular = isinstance(topology, CoordinateTopology | Hypercube | HyperX)
    if regular and topology.coordinates.shape[1] > 1:
        return _by_coordinates(topology.coordinates)
    if not regular and topology.positions is not None and topology.positions.shape[1] == AXES:
        return topology.positions
    return np.column_stack((places(topology), np.zeros(topology.switches)))


def _by_coordinates(coordinates: Int64) -> Places:
    """Return places by coordinates: dimensions 0, 3, … along x, 1, 4, … along y, 2, 5, … along z."""
    found = np.zeros((len(coordinates), AXES))
    for dimension, values in enumerate(coordinates.T):
        axis = dimension % AXES
        step = 1.0 if dimension < AXES else np.ptp(found[:, axis]) + GAP
        found[:, axis] += values * step
    return found


def least_distance(place: Places) -> float:
    """Return the least distance of two different places; 1 if there are none."""
    least = np.inf
    for first in range(0, len(place), BLOCK):
        squares = ((place[first : first + BLOCK, None] - place[None]) ** 2).sum(axis=2)
        least = min(least, float(squares[squares > 1e-12].min(initial=np.inf)))
    return float(np.sqrt(least)) if np.isfinite(least) else 1.0


def link_segments(topology: Topology, place: Places, switch: Int64, peer: Int64, planes: int = 1) -> Segments:
    """Return the segments of links: the half of a cable at a switch is the link that leaves the switch.

    A wraparound link of a torus is a stub that points outwards; a link whose straight line meets a third switch, or a
    parallel link, is bent.

    Parameters
    ----------
    topology : Topology
        Topology of a plane.
    place : array [planes · S, 3]
        As returned by `places_3d`.
    switch, peer : array [L]
        Both switches of each link, numbered over planes; -1: no switch at this end, so the link is not drawn.
    """
    away = _outwards(topology, switch % topology.switches, peer % topology.switches)
    bends = _bends(place, switch, peer, np.asarray(away.any(axis=1)))
    ends, link = [], []
    for number, (start, end) in enumerate(zip(switch, peer, strict=True)):
        if end == NOBODY or start == NOBODY:
            continue
        if away[number].any():
            points = place[start] + np.outer((CLEAR, MIDDLE), away[number])
        else:
            points = _half(place[start], place[end], bends[number])
        ends.append(np.stack((points[:-1], points[1:]), axis=1))
        link += [number] * (len(points) - 1)
    drawn = np.concatenate(ends) if ends else np.zeros((0, 2, AXES))
    return Segments(drawn, np.array(link, np.int64))


def _outwards(topology: Topology, switch: Int64, peer: Int64) -> Places:
    """Return the direction [L, 3] of wraparound links of a torus; 0 for all others."""
    away = np.zeros((len(switch), AXES))
    if not isinstance(topology, Grid) or not any(topology.rings) or len(topology.radix) == 1:
        return away
    radix = np.array(topology.radix)
    change = topology.coordinates[peer] - topology.coordinates[switch]
    round_the_edge = (np.abs(change) == radix - 1) & (radix > 2)
    for dimension in range(len(radix)):
        chosen = round_the_edge[:, dimension]
        away[chosen, dimension % AXES] -= np.sign(change[chosen, dimension])
    return away


def _half(start: Places, end: Places, bend: float) -> Places:
    """Return the points of the first half of a link."""
    length = float(np.linalg.norm(end - start))
    shares = np.linspace(min(CLEAR / max(length, 1e-9), MIDDLE / 2), MIDDLE, 2 if bend == 0 else PIECES + 1)
    straight = start + np.outer(shares, end - start)
    return straight + np.outer(4 * shares * (1 - shares), bend * length * _aside(end - start)) if bend else straight


def _aside(along: Places) -> Places:
    """Return a direction perpendicular to a link, equal for both links of a cable, in the plane of a flat network."""
    along = along * (1 if tuple(along) > (0.0,) * AXES else -1)
    up = np.array((0.0, 0.0, 1.0)) if np.hypot(*along[:2]) > 1e-9 else np.array((0.0, 1.0, 0.0))
    aside = np.cross(up, along)
    found: Places = aside / np.linalg.norm(aside)
    return found


def _bends(place: Places, switch: Int64, peer: Int64, straight: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the relative deviation of each link from the straight line; both links of a cable bend the same way."""
    bends = np.zeros(len(switch))
    twins: dict[tuple[int, int], int] = {}
    met: dict[tuple[int, int], bool] = {}
    for number, (start, end) in enumerate(zip(switch.tolist(), peer.tolist(), strict=True)):
        if straight[number] or end == NOBODY or start == NOBODY:
            continue
        copy = twins[start, end] = twins.get((start, end), -1) + 1
        cable = min(start, end), max(start, end)
        if cable not in met:
            met[cable] = _meets(place, *cable)
        bends[number] = BEND * (met[cable] + copy)
    return bends


def _meets(place: Places, start: int, end: int) -> bool:
    """Return whether the straight line between two switches meets a third."""
    along = place[end] - place[start]
    square = float(along @ along)
    if square < 1.0 + 1e-9:  # nearest neighbours
        return False
    off = place - place[start]
    share = off @ along / square
    inside = (share > 1e-6) & (share < 1 - 1e-6)
    aside = off[inside] - share[inside, None] * along
    return bool(((aside**2).sum(axis=1) < (0.5 * CLEAR) ** 2).any())
