"""Maps BookSim2's keys to a network, its traffic, and the procedure of its measurement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from models.errors import TsujiError
from models.params.config_file import Table
from sim.booksim import allocators, networks, pipeline, router_mapping
from sim.booksim.link_clock import LinkClock
from sim.booksim.networks import Net
from sim.booksim.patterns import BookSimPattern
from sim.booksim.router_mapping import RouterPlan
from sim.booksim.settings import Settings
from sim.booksim.traffic_keys import BookSimClass, Procedure, check_patterns, traffic_classes
from sim.config import Config, read
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.simulation import Routes, build
from sim.traffic.arrivals import Arrivals
from sim.traffic.sizes import Sizes

MOST_CREDIT_DELAY = 1022  # link.credit_latency takes 1 cycle more on a torus, and is at most 1023


@dataclass(frozen=True)
class Plan:
    """Network, traffic and measurement that a BookSim2 configuration describes, on our own switches.

    Attributes
    ----------
    config : Config
        Switch, link, topology and routing; traffic and measurement are in the fields below.
    traffic : BookSimClass
        Its traffic and measurement.
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
    traffic: BookSimClass
    seed: int
    notes: tuple[str, ...] = ()
    routes: Routes | None = None
    for_peer: tuple[str, ...] = ()

    @property
    def classes(self) -> tuple[BookSimClass, ...]:
        """All classes of traffic: one."""
        return (self.traffic,)

    @property
    def pattern(self) -> BookSimPattern:
        """Destinations."""
        return self.traffic.pattern

    @property
    def arrivals(self) -> Arrivals:
        """Times."""
        return self.traffic.arrivals

    @property
    def sizes(self) -> Sizes:
        """Sizes of packets."""
        return self.traffic.sizes

    @property
    def load(self) -> float:
        """Flits/node/cycle."""
        return self.traffic.load

    @property
    def procedure(self) -> Procedure:
        """Measurement."""
        return self.traffic.procedure

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.config.topology.build().nodes

    def build(self) -> Network | PlaneNetwork:
        """Return the network at reset."""
        return build(self.config, self.routes)

    def network(self, seed: int) -> LinkClock:
        """Return the network at reset, in cycles of its links; `seed` is that of traffic, which it does not need."""
        return LinkClock(self.build(), self.config.switch.speedup)

    def specialising(self, specialise: bool) -> Self:
        """Return the plan with `run.specialise` set: whether the engine is compiled for the switches."""
        run = self.config.run.model_copy(update={"specialise": specialise})
        return replace(self, config=replace(self.config, run=run))

    def document(self) -> dict[str, Any]:
        """Return the network as plain values."""
        sections = self.config.document()
        own_routes = () if self.routes else ("routing",)  # otherwise routes are BookSim2's, of its routing_function
        return {name: sections[name] for name in ("switch", "link", "topology", *own_routes)}


# Keys of which our switch has one value only; with others the model of BookSim2's router is used.
OUR_SWITCH = {
    "input_speedup": "1",
    "subnets": "1",
    "output_speedup": "1",
    "vc_prioritize_empty": "0",
    "vc_shuffle_requests": "0",
    "priority": "none",
    "classes": "1",
    "use_read_write": "0",
    "measure_stats": "1",
}


def plan(given: Settings, own_switch: bool = False) -> Plan | RouterPlan:
    """Return the plan that settings describe: on our switches, or if they cannot do this, on BookSim2's routers.

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
    try:
        return on_our_switches(given, own_switch)
    except TsujiError as error:
        if own_switch:
            raise
        return router_mapping.plan(given, str(error))


def on_our_switches(given: Settings, own_switch: bool = False) -> Plan:
    """Return the plan on our switches; arguments as for `plan`.

    Raises
    ------
    TsujiError
        If they cannot do what settings describe.
    """
    for key, value in OUR_SWITCH.items():
        if given.word(key) != value:
            raise given.refuse(key, f"must be {value} on our own switch")
    net = networks.net(given)
    config = _network(given, net, own_switch)
    (traffic,) = traffic_classes(given, net.order)
    check_patterns(given, (traffic,), config.topology.build())
    notes = (*net.notes, *_notes(config))
    return Plan(config, traffic, given.integer("seed", 0), notes, net.routes, net.for_peer)


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
    depth = pipeline.depth(given, vcs)
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
