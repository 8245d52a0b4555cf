"""Maps BookSim2's keys to a network, its traffic, and the procedure of its measurement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from models.errors import TsujiError
from models.params.config_file import Table
from sim.booksim import allocators, networks, pipeline
from sim.booksim.networks import Net
from sim.booksim.parser import call
from sim.booksim.patterns import BookSimPattern
from sim.booksim.settings import Settings
from sim.config import Config, read
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.simulation import Routes, build
from sim.traffic.arrivals import Arrivals, Bernoulli
from sim.traffic.on_off import OnOff
from sim.traffic.sizes import Sizes

MOST_CREDIT_DELAY = 1022  # link.credit_latency takes 1 cycle more on a torus, and is at most 1023


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
class Plan:
    """Network, traffic and measurement that a BookSim2 configuration describes.

    Attributes
    ----------
    config : Config
        Switch, link, topology and routing; traffic and measurement are in the fields below.
    pattern, arrivals, sizes
        Traffic.
    load : float
        Flits/node/cycle.
    procedure : Procedure
        Measurement.
    seed : int
        Seed of all random numbers.
    notes : tuple of str
        Known differences from BookSim2's network that may show in the figures.
    routes : callable or None
        Returns BookSim2's own routes on our network; None: the routes of `config`.
    for_peer : tuple of str
        Overrides for BookSim2 itself: the path of a file that it would not find.
    """

    config: Config
    pattern: BookSimPattern
    arrivals: Arrivals
    sizes: Sizes
    load: float
    procedure: Procedure
    seed: int
    notes: tuple[str, ...] = ()
    routes: Routes | None = None
    for_peer: tuple[str, ...] = ()

    def build(self) -> Network | PlaneNetwork:
        """Return the network at reset."""
        return build(self.config, self.routes)

    def specialising(self, specialise: bool) -> Self:
        """Return the plan with `run.specialise` set: whether the engine is compiled for the switches."""
        run = self.config.run.model_copy(update={"specialise": specialise})
        return replace(self, config=replace(self.config, run=run))


def plan(given: Settings, own_switch: bool = False) -> Plan:
    """Return the plan that settings describe.

    Parameters
    ----------
    given : Settings
        The configuration.
    own_switch : bool
        Use our default switch instead of BookSim2's stages and allocators: VC and crossbar are granted together, input
        first, and the remaining cycles of a hop follow the grant. Twice as fast; agrees less closely.

    Raises
    ------
    TsujiError
        If a value is not supported; the message names place, key, value and what is allowed.
    """
    net = networks.net(given)
    config = _network(given, net, own_switch)
    nodes = config.topology.build()
    sizes = _sizes(given)
    rate = given.number("injection_rate")
    if given.integer("injection_rate_uses_flits", 0, 1):
        rate /= sizes.mean
    if not 0 < rate <= 1:
        raise given.refuse("injection_rate", "must be above 0, and at most 1 packet/node/cycle")
    keys = {key: given.integer(key, least) for key, least in (("k", 1), ("n", 1), ("xr", 1), ("perm_seed", 0))}
    pattern = BookSimPattern(traffic=given.word("traffic"), order=net.order, **keys)
    try:
        pattern.chooser(nodes)
    except TsujiError as error:
        place = given.given["traffic"].place + ": " if "traffic" in given.given else ""
        raise TsujiError(f"{place}{error}") from error
    arrivals, procedure = _arrivals(given, rate), _procedure(given)
    load, seed = rate * sizes.mean, given.integer("seed", 0)
    notes = (*net.notes, *_notes(config))
    return Plan(config, pattern, arrivals, sizes, load, procedure, seed, notes, net.routes, net.for_peer)


def _notes(config: Config) -> tuple[str, ...]:
    """Return the known differences of a network from BookSim2's."""
    vcs, torus = config.switch.vcs, config.switch.wrap
    if not torus or vcs % 2 == 0:
        return ()
    return (
        f"num_vcs = {vcs} is odd: BookSim2's two classes of a ring share the VC in the middle, and can deadlock; here "
        "only the upper class uses it, so the lower class has fewer VCs",
    )


def _network(given: Settings, net: Net, own_switch: bool) -> Config:
    """Return the network as a configuration of ours."""
    allocator, arbiter = allocators.switch_allocator(given)
    vc_allocator, speculation = allocators.vc_allocator(given), allocators.speculation(given)
    delays = pipeline.delays(given, own_switch, vc_allocator is not None)
    busy_when_full = bool(given.integer("vc_busy_when_full", 0, 1))
    vcs = given.integer("num_vcs", net.least_vcs, 16)
    whole = given.integer("buf_size", -1)
    depth = whole // vcs if whole > 0 else given.integer("vc_buf_size", 1, 4096)
    if not 1 <= depth <= 4096:
        raise given.refuse("buf_size", f"must be at least num_vcs = {vcs}, and at most 4096 flits per VC")
    switch = {
        **net.switch,
        "vcs": vcs,
        "depth": depth,
        "hold_packets": bool(given.integer("hold_switch_for_packet", 0, 1)),
        "arbiter": arbiter,
        **delays,
        "u_turn": True,  # a packet to its own node leaves by the port that it came in by
    }
    if not own_switch:
        switch |= {"allocator": allocator}
        if delays["vc_stage"]:
            switch |= {"vc_allocator": vc_allocator, "speculation": speculation}
            # A head that waits for the tail's credit never claims a full VC anyway.
            full = not given.integer("wait_for_tail_credit", 0, 1)
            switch |= {"claim_full": not (full and busy_when_full)}
        rings = net.topology["kind"] == "torus" and max(net.topology["radix"]) > 3
        switch |= {"ring_classes": "fixed"} if rings else {}
    if given.integer("wait_for_tail_credit", 0, 1):
        switch |= {"buffering": "dynamic", "max_packet": depth}
    fast = pipeline.speedup(given)
    switch |= pipeline.output_buffers(given, fast)
    # Our credit arrives one cycle after the grant that returns it, as a flit does: BookSim2's with a delay of 1.
    credits_later = fast * given.integer("credit_delay", 0, MOST_CREDIT_DELAY) - 1
    sections = {
        "switch": switch,
        "link": {"latency": fast * net.latency, "credit_latency": fast * net.latency + credits_later},
        "topology": pipeline.slower(net.topology, fast),
        "routing": net.routing,
        # BookSim2 does not check for deadlock.
        "run": {"seed": given.integer("seed", 0), "force": True},
    }
    return read(Table({name: keys for name, keys in sections.items() if keys}))


def _sizes(given: Settings) -> Sizes:
    sizes, weights = given.sizes("packet_size"), given.sizes("packet_size_rate")
    weights = (weights + weights[-1:] * len(sizes))[: len(sizes)]
    if not sizes or min(sizes) < 1 or max(sizes) > 65536:
        raise given.refuse("packet_size", "must be 1 to 65536 flits")
    if min(weights) < 0 or not any(weights):
        raise given.refuse("packet_size_rate", "must be 0 or more, and not all 0")
    if len(sizes) == 1:
        return Sizes(packet_size=sizes[0])
    used = [(size, weight) for size, weight in zip(sizes, weights, strict=True) if weight]
    return Sizes(packet_sizes=tuple(size for size, _ in used), packet_weights=tuple(weight for _, weight in used))


def _arrivals(given: Settings, rate: float) -> Arrivals:
    """Return the arrivals of `rate` packets/node/cycle."""
    name, arguments = call(given.word("injection_process"))
    if name == "bernoulli" and not arguments:
        return Bernoulli()
    if name != "on_off" or len(arguments) > 3:
        raise given.refuse("injection_process", "must be bernoulli or on_off({alpha,beta,r1})")
    try:
        values = [float(argument) for argument in arguments]
    except ValueError:
        raise given.refuse("injection_process", "arguments must be numbers") from None
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
    if alpha <= 0 or beta <= 0 or alpha + beta > 1 + 1e-12 or on > 1:
        raise given.refuse(
            "injection_process",
            f"burst_alpha = {alpha:g} and burst_beta = {beta:g} must be above 0 and at most 1 together, and "
            f"burst_r1 = {on:g} at most 1",
        )
    return OnOff(burst_cycles=1 / beta, burst_duty=alpha / (alpha + beta))


def _procedure(given: Settings) -> Procedure:
    kind = given.word("sim_type")
    if kind not in ("latency", "throughput"):
        raise given.refuse("sim_type", "must be one of latency, throughput")
    return Procedure(
        latency=kind == "latency",
        sample_period=given.integer("sample_period", 1),
        warmup_periods=given.integer("warmup_periods", 0),
        max_samples=given.integer("max_samples", 1),
        sim_count=given.integer("sim_count", 1),
        latency_thres=given.number("latency_thres"),
        warmup_thres=given.number("warmup_thres"),
        acc_warmup_thres=given.number("acc_warmup_thres"),
        stopping_thres=given.number("stopping_thres"),
        acc_stopping_thres=given.number("acc_stopping_thres"),
    )
