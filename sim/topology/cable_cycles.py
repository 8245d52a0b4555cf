"""Latency and interval of cables, in cycles, from what a graph says: cycles, times, bandwidths or weights."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from models.errors import TsujiError
from sim.topology.units import bits_per_second, nanoseconds

if TYPE_CHECKING:
    import networkx as nx

MAX_CYCLES = 1023  # limits of a cable, as in other families
MOST_PARALLEL = 61
BANDWIDTHS = ("bandwidth", "capacity", "LinkSpeedRaw")
TIMES = ("latency", "interval", "delay", *BANDWIDTHS)
SILENT = {"place", "weight", "id", "key", "label", "name", "source", "target"}

Weights = Literal["ignore", "latency", "cables"]


@dataclass(frozen=True)
class CableScale:
    """What the quantities of a graph's cables mean.

    Attributes
    ----------
    weights : {"ignore", "latency", "cables"}
        Weight of a cable: without effect, its latency in cycles (rounded), or its number of parallel cables.
    bandwidth : float or None
        Bandwidth of a cable that carries one flit per cycle, bit/s; None: the greatest of the graph.
    cycle_ns : float or None
        Length of a cycle, which turns times into cycles; None: times have no effect.
    """

    weights: Weights = "ignore"
    bandwidth: float | None = None
    cycle_ns: float | None = None


def with_cycles(graph: nx.Graph[Any], scale: CableScale, source: str) -> nx.MultiGraph:
    """Return a graph whose edges have latency and interval in cycles, and no other quantity.

    Parameters
    ----------
    graph : Graph or MultiGraph
        Edges may have `latency` (cycles, or a time with its unit), `delay` (a time), `interval` (cycles), `bandwidth`
        or `capacity` (bit/s, or with a unit) and `weight`.
    scale : CableScale
        What these mean.
    source : str
        Origin of the graph, for messages.

    Raises
    ------
    TsujiError
        If a value is invalid; the message names place, attribute, value and what is allowed.
    """
    import networkx as nx

    made: nx.MultiGraph = nx.MultiGraph()
    made.add_nodes_from(graph.nodes(data=True))
    places = [edge_place(one, other, data, source) for one, other, data in graph.edges(data=True)]
    speeds = [_bandwidth(data, place) for (_, _, data), place in zip(graph.edges(data=True), places, strict=True)]
    full = scale.bandwidth or max((speed for speed in speeds if speed), default=1.0)
    unused: set[str] = set()
    for (one, other, data), place, speed in zip(graph.edges(data=True), places, speeds, strict=True):
        unused |= {name for name in data if name not in SILENT and name not in TIMES}
        latency, copies = _latency(data, scale, place, unused), 1
        if "weight" in data and scale.weights == "cables":
            copies = whole(data, "weight", 1, 1, MOST_PARALLEL, place)
        elif "weight" in data and scale.weights == "ignore":
            unused.add("weight")
        interval = whole(data, "interval", 1, 1, MAX_CYCLES, place)
        if speed is not None and "interval" not in data:
            interval = _interval(speed, full, place)
        for _ in range(copies):
            made.add_edge(one, other, latency=latency, interval=interval, place=place)
    _warn(unused, source)
    if scale.bandwidth and any(speed > scale.bandwidth for speed in speeds if speed):
        warnings.warn(
            f"{source}: cables faster than topology.bandwidth = {scale.bandwidth:g} bit/s carry one flit per cycle, "
            "as it does",
            stacklevel=2,
        )
    return made


def edge_place(one: object, other: object, data: dict[str, Any], source: str) -> str:
    """Return the place of a cable, for messages."""
    return f"{data['place']}: cable {one} – {other}" if "place" in data else f"{source}: cable {one} – {other}"


def whole(data: dict[str, Any], key: str, default: int, least: int, most: int, place: str) -> int:
    """Return an attribute that is a whole number, 2.0 included.

    Raises
    ------
    TsujiError
        If it is invalid; the message names place, attribute, value and what is allowed.
    """
    value = data.get(key, default)
    if isinstance(value, float | np.floating) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        raise TsujiError(f"{place}: {key} = {value!r}: must be a whole number, {least} to {most}")
    return int(value)


def _latency(data: dict[str, Any], scale: CableScale, place: str, unused: set[str]) -> int:
    """Return the cycles of a cable; names of times without effect are added to `unused`."""
    weighted = "weight" in data and scale.weights == "latency"
    given = [name for name in ("latency", "delay") if name in data] + ["weight"] * weighted
    if len(given) > 1:
        raise TsujiError(f"{place}: {' and '.join(given)}: one of them says the latency; leave the others out")
    if not given:
        return 0
    (name,) = given
    if name == "weight":
        return _rounded(data[name], place)
    if name != "delay" and not isinstance(data[name], str):
        return whole(data, name, 0, 0, MAX_CYCLES, place)
    time = nanoseconds(data[name])
    if scale.cycle_ns is None and (name == "delay" or time is not None):
        unused.add(name)
        return 0
    if time is None:
        raise TsujiError(
            f"{place}: {name} = {data[name]!r}: must be a time with its unit, such as 5ns"
            + (f", or cycles, 0 to {MAX_CYCLES}" if name != "delay" else "")
        )
    cycles = time / (scale.cycle_ns or 1.0)
    if cycles > MAX_CYCLES:
        raise TsujiError(
            f"{place}: {name} = {data[name]}: {cycles:.10g} cycles of topology.cycle_ns = {scale.cycle_ns:g}; at most "
            f"{MAX_CYCLES}"
        )
    return round(cycles)


def _rounded(weight: Any, place: str) -> int:
    """Return a weight as cycles."""
    if not isinstance(weight, int | float) or isinstance(weight, bool) or not 0 <= weight <= MAX_CYCLES:
        raise TsujiError(f"{place}: weight = {weight!r}: must be a number of cycles, 0 to {MAX_CYCLES}")
    return round(weight)


def _bandwidth(data: dict[str, Any], place: str) -> float | None:
    """Return the bandwidth of a cable, bit/s; None if it has none."""
    given = [name for name in BANDWIDTHS if name in data]
    if not given:
        return None
    if "interval" in data:
        raise TsujiError(f"{place}: {given[0]} and interval: one of them says the bandwidth; leave the other out")
    value = data[given[0]]
    found = bits_per_second(value)
    if found is None:
        raise TsujiError(f"{place}: {given[0]} = {value!r}: must be above 0, in bit/s or with a unit, such as 400Gbps")
    return found


def _interval(speed: float, full: float, place: str) -> int:
    """Return the cycles per flit of a cable."""
    cycles = full / speed
    if cycles > MAX_CYCLES:
        raise TsujiError(
            f"{place}: a bandwidth of {speed:g} bit/s: one flit in {cycles:.10g} cycles, as {full:g} bit/s carry one "
            f"per cycle; at most {MAX_CYCLES}; topology.bandwidth sets the bandwidth of one flit per cycle"
        )
    return max(1, round(cycles))


def _warn(unused: set[str], source: str) -> None:
    """Name the attributes that have no effect, and what gives them one."""
    hints = []
    if "weight" in unused:
        hints.append('topology.weights = "latency" or "cables" uses the weight')
    if unused & {"delay", "latency"}:
        hints.append("topology.cycle_ns, the length of a cycle, turns times into cycles")
    if unused:
        names = ", ".join(sorted(map(str, unused)))
        warnings.warn(
            f"{source}: attributes of cables without effect: {names}" + "".join(f"; {hint}" for hint in hints),
            stacklevel=3,
        )
