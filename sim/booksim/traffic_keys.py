"""BookSim2's keys of traffic and measurement, for each class of traffic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from models.booksim.iq_state import READ_REPLY, WRITE_REPLY, WRITE_REQUEST
from models.errors import TsujiError
from sim.booksim.parser import call
from sim.booksim.patterns import BookSimPattern
from sim.booksim.settings import Settings
from sim.topology.base import Topology
from sim.traffic.arrivals import Arrivals, Bernoulli
from sim.traffic.on_off import OnOff
from sim.traffic.sizes import Sizes
from sim.traffic.traffic_class import TrafficClass

MOST_CLASSES = 64
MOST_FLITS = 65536
MOST_SIMULATIONS = 65536
MOST_BURST = 1e9  # cycles
TYPE_KEYS = ("", "read_request", "write_request", "read_reply", "write_reply")  # of the types of packets


@dataclass(frozen=True)
class Procedure:
    """Parameters of BookSim2's measurement, named as its keys.

    Attributes
    ----------
    latency : bool
        sim_type latency (True) or throughput.
    sample_period : int
        Cycles.
    warmup_periods, max_samples, sim_count : int
        Numbers of sample periods, of sample periods and of simulations.
    latency_thres : float
        Cycles.
    warmup_thres, acc_warmup_thres, stopping_thres, acc_stopping_thres : float
        Relative changes.
    """

    latency: bool
    sample_period: int
    warmup_periods: int
    max_samples: int
    sim_count: int
    latency_thres: float
    warmup_thres: float
    acc_warmup_thres: float
    stopping_thres: float
    acc_stopping_thres: float


@dataclass(frozen=True)
class Requests:
    """Requests that are answered (use_read_write).

    Attributes
    ----------
    write_fraction : float
        Share of requests that write.
    flits : tuple of int
        Of each type of packet (`models.booksim.iq_state`).
    """

    write_fraction: float
    flits: tuple[int, ...]

    @property
    def mean(self) -> int:
        """Flits by which injection_rate_uses_flits divides."""
        return sum(self.flits) // 2


@dataclass(frozen=True)
class BookSimClass(TrafficClass):
    """A class of traffic; requests count as one flit each in `load`.

    Attributes
    ----------
    procedure : Procedure
        Its thresholds, and the procedure that all classes have in common.
    requests : Requests or None
        Whether packets are requests; their sizes replace `sizes`.
    measured : bool
        Whether its figures decide about the phases of the measurement.
    priority : int
        class_priority.
    """

    pattern: BookSimPattern
    sizes: Sizes
    procedure: Procedure
    requests: Requests | None = None
    measured: bool = True
    priority: int = 0


def traffic_classes(given: Settings, order: tuple[int, ...] = ()) -> tuple[BookSimClass, ...]:
    """Return the classes of traffic; `order` is our node number of each of BookSim2's nodes, empty: the same.

    Raises
    ------
    TsujiError
        If a value is not supported; the message names place, key, value and what is allowed.
    """
    return tuple(_class(given, order, c) for c in range(given.integer("classes", 1, MOST_CLASSES)))


def check_patterns(given: Settings, classes: Sequence[BookSimClass], topology: Topology) -> None:
    """Refuse patterns that do not fit the number of nodes of a topology.

    Raises
    ------
    TsujiError
        If one does not.
    """
    for each in classes:
        try:
            each.pattern.chooser(topology)
        except TsujiError as error:
            place = given.given["traffic"].place + ": " if "traffic" in given.given else ""
            raise TsujiError(f"{place}{error}") from error


def _class(given: Settings, order: tuple[int, ...], c: int) -> BookSimClass:
    requests = _requests(given, c)
    sizes = Sizes(packet_size=1) if requests else _sizes(given, c)
    rate = given.number("injection_rate", c)
    if given.integer("injection_rate_uses_flits", 0, 1):
        rate /= requests.mean if requests else sizes.mean
    if not 0 < rate <= 1:
        raise given.refuse("injection_rate", "must be above 0, and at most 1 packet/node/cycle")
    keys = {key: given.integer(key, least) for key, least in (("k", 1), ("n", 1), ("xr", 1), ("perm_seed", 0))}
    pattern = BookSimPattern(traffic=given.word("traffic", c), order=order, **keys)
    return BookSimClass(
        pattern=pattern,
        arrivals=_arrivals(given, rate, c),
        sizes=sizes,
        load=rate * sizes.mean,
        procedure=_procedure(given, c),
        requests=requests,
        measured=bool(given.integer("measure_stats", 0, 1, c)),
        priority=given.integer("class_priority", 0, (1 << 31) - 1, c),
    )


def _requests(given: Settings, c: int) -> Requests | None:
    if not given.integer("use_read_write", 0, 1, c):
        return None
    share = given.number("write_fraction", c)
    if not 0 <= share <= 1:
        raise given.refuse("write_fraction", "must be 0 to 1")
    return Requests(share, (0, *(given.integer(f"{each}_size", 1, MOST_FLITS, c) for each in TYPE_KEYS[1:])))


def vc_ranges(given: Settings, vcs: int) -> list[tuple[int, int]]:
    """Return the first and the last VC of each type of packet; negative values stand for halves, as in BookSim2.

    Raises
    ------
    TsujiError
        If requests are answered, and a range is not one.
    """
    found = [(0, vcs - 1)]
    if not any(given.integer("use_read_write", 0, 1, c) for c in range(given.integer("classes", 1, MOST_CLASSES))):
        return found * (WRITE_REPLY + 1)
    for kind, name in enumerate(TYPE_KEYS[1:], WRITE_REQUEST - 1):
        reply = kind >= READ_REPLY
        first, last = (int(given.number(f"{name}_{end}_vc")) for end in ("begin", "end"))
        first = vcs // 2 * reply if first < 0 else first
        last = (vcs if reply else vcs // 2) - 1 if last < 0 else last
        if not first <= last < vcs:
            key = f"{name}_end_vc" if last >= vcs or f"{name}_end_vc" in given.given else f"{name}_begin_vc"
            raise given.refuse(key, f"VCs {first} to {last} of num_vcs = {vcs}; each type of packet needs some")
        found.append((first, last))
    return found


def _sizes(given: Settings, c: int) -> Sizes:
    sizes, weights = given.sizes("packet_size", c), given.sizes("packet_size_rate", c)
    weights = (weights + weights[-1:] * len(sizes))[: len(sizes)]
    if not sizes or min(sizes) < 1 or max(sizes) > MOST_FLITS:
        raise given.refuse("packet_size", f"must be 1 to {MOST_FLITS} flits")
    if min(weights, default=0) < 0 or not any(weights):
        raise given.refuse("packet_size_rate", "must be 0 or more, and not all 0")
    if len(sizes) == 1:
        return Sizes(packet_size=sizes[0])
    used = [(size, weight) for size, weight in zip(sizes, weights, strict=True) if weight]
    return Sizes(packet_sizes=tuple(size for size, _ in used), packet_weights=tuple(weight for _, weight in used))


def _arrivals(given: Settings, rate: float, c: int) -> Arrivals:
    """Return the arrivals of `rate` packets/node/cycle."""
    name, arguments = call(given.word("injection_process", c))
    if name == "bernoulli" and not arguments:
        return Bernoulli()
    if name != "on_off" or len(arguments) > 3:
        raise given.refuse("injection_process", "must be bernoulli or on_off({alpha,beta,r1})")
    try:
        values = [float(argument) for argument in arguments]
    except ValueError:
        values = [math.nan]
    if not all(map(math.isfinite, values)):
        raise given.refuse("injection_process", "arguments must be numbers")
    keys = ("burst_alpha", "burst_beta", "burst_r1")
    alpha, beta, on = (values[n] if n < len(values) else given.number(key) for n, key in enumerate(keys))
    if sum(value < 0 for value in (alpha, beta, on)) != 1:
        raise given.refuse("injection_process", "one of burst_alpha, burst_beta, burst_r1 must be negative")
    if alpha < 0:
        alpha = beta * rate / (on - rate) if on > rate else -1
    elif beta < 0:
        beta = alpha * (on - rate) / rate
    else:
        on = rate * (alpha + beta) / alpha if alpha else 2
    misfit = given.refuse(
        "injection_process",
        f"burst_alpha = {alpha:g} and burst_beta = {beta:g} must be above 0 and at most 1 together, burst_beta at "
        f"least {1 / MOST_BURST:g}, and burst_r1 = {on:g} at most 1",
    )
    if alpha <= 0 or beta < 1 / MOST_BURST or alpha + beta > 1 + 1e-12 or on > 1:
        raise misfit
    try:
        return OnOff(burst_cycles=1 / beta, burst_duty=alpha / (alpha + beta))
    except ValueError:
        raise misfit from None  # by rounding alone


def _procedure(given: Settings, c: int) -> Procedure:
    kind = given.word("sim_type")
    if kind not in ("latency", "throughput"):
        raise given.refuse("sim_type", "must be one of latency, throughput")
    return Procedure(
        latency=kind == "latency",
        sample_period=given.integer("sample_period", 1),
        warmup_periods=given.integer("warmup_periods", 0),
        max_samples=given.integer("max_samples", 1),
        sim_count=given.integer("sim_count", 1, MOST_SIMULATIONS),
        latency_thres=given.number("latency_thres", c),
        warmup_thres=given.number("warmup_thres", c),
        acc_warmup_thres=given.number("acc_warmup_thres", c),
        stopping_thres=given.number("stopping_thres", c),
        acc_stopping_thres=given.number("acc_stopping_thres", c),
    )
