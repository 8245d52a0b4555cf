"""A simulation's configuration: the sections of a TOML file, checked together; defaults depend on other sections."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.errors import TsujiError
from models.params import LinkParams, SwitchParams
from models.params.config_file import (
    OPTIONAL_PARTS,
    SWITCH_SECTIONS,
    Table,
    build,
    check_sections,
    read_config,
)
from sim.config.faults import FaultsSection
from sim.config.kinds import LoadParams, kind_of, traffic
from sim.config.measure import MeasureParams
from sim.config.message_classes import MessageClass, check_together, message_classes, without_classes
from sim.config.networks import NetworkSections, network_sections
from sim.config.planes import PlanesSection
from sim.config.power import PowerParams, with_clock, with_sleep
from sim.config.run import RunParams
from sim.config.switch_section import switch_of
from sim.config.workload import WorkloadParams
from sim.routing.base import ALGORITHMS, Algorithm
from sim.routing.message_classes import ByMessageClass
from sim.topology.base import Topology
from sim.topology.computed import ComputedTopology
from sim.topology.family import Family
from sim.topology.hyper_crossbar import HyperCrossbar
from sim.topology.hypercube import Hypercube
from sim.topology.link_times import LinkTimes
from sim.traffic.arrivals import Arrivals
from sim.traffic.class_streams import ClassStreams
from sim.traffic.closed_loop import ClosedLoop
from sim.traffic.draws import Draws
from sim.traffic.injection import Injection
from sim.traffic.pattern import Pattern
from sim.traffic.sizes import PacketSizes
from sim.traffic.stream import PacketStream
from sim.traffic.traffic_class import TrafficClass

SECTIONS = (
    *SWITCH_SECTIONS,
    "link",
    "topology",
    "planes",
    "faults",
    "routing",
    "traffic",
    "workload",
    "power",
    "measure",
    "run",
)


@dataclass(frozen=True)
class Config:
    """A checked configuration.

    Attributes
    ----------
    switch, link, topology, routing, pattern, arrivals, sizes, load, draws, loop, injection, measure, run
        One parameter object per concept; [traffic] is split into seven.
    planes : PlanesSection or None
        Several planes; None: a single network.
    workload : WorkloadParams or None
        Messages of ranks; None: packets of traffic.
    power : PowerParams or None
        The energy account; None: off.
    faults : FaultsSection or None
        Failed cables and switches; None: no such section.
    classes : tuple of MessageClass
        Message classes; empty: all packets are alike, and `pattern`, `arrivals` and `sizes` are theirs.
    """

    switch: SwitchParams
    link: LinkParams
    topology: Family
    routing: Algorithm
    pattern: Pattern
    arrivals: Arrivals
    sizes: PacketSizes
    load: LoadParams
    draws: Draws
    loop: ClosedLoop
    injection: Injection
    measure: MeasureParams
    run: RunParams
    planes: PlanesSection | None = None
    workload: WorkloadParams | None = None
    power: PowerParams | None = None
    faults: FaultsSection | None = None
    classes: tuple[MessageClass, ...] = ()

    @property
    def traffic(self) -> tuple[TrafficClass, ...]:
        """All classes of traffic: the message classes, or the one of all packets."""
        return self.classes or (TrafficClass(self.pattern, self.arrivals, self.sizes, self.load.load),)

    @property
    def routes(self) -> Algorithm:
        """The routing algorithm, with the VCs of message classes."""
        if not self.classes:
            return self.routing
        return ByMessageClass(base=self.routing, vcs=tuple(each.keys.own_vcs for each in self.classes))

    @property
    def networks(self) -> NetworkSections:
        """What the networks are made of."""
        return NetworkSections(self.topology, self.planes, self.faults)

    @property
    def packet_sizes(self) -> dict[str, tuple[int, ...]]:
        """Packet sizes, flits, by configuration key."""
        if self.workload is not None:
            most = self.workload.packet_flits(self.switch.data_width)
            return {"workload.packet_bytes": (max(most, self.switch.header_flits),)}
        replies = {"traffic.reply_size": (self.loop.reply_size,)} if self.loop.reply_size else {}
        if self.classes:
            return {f"traffic.classes.{n}.{each.sizes.key}": each.sizes.all for n, each in enumerate(self.classes)}
        return {f"traffic.{self.sizes.key}": self.sizes.all, **replies}

    @property
    def files(self) -> list[Path]:
        """Files named by the configuration whose content affects figures."""
        parts = (
            self.topology,
            self.routing,
            *(part for each in self.traffic for part in (each.pattern, each.arrivals)),
        )
        return [path for part in parts for path in part.files]

    def packets(self, topology: Topology, load: float, seed: int) -> PacketStream:
        """Return the packets of all classes of traffic at a load, flits/node/cycle.

        Raises
        ------
        TsujiError
            If they do not fit the topology, or the load is beyond the limit of their arrivals.
        """
        if self.classes:
            return ClassStreams(topology, self.classes, load / self.load.load, seed)
        return self.draws.stream(topology, self.pattern, self.arrivals, self.sizes, load, seed)

    def most_load(self) -> float:
        """Return the greatest load that arrivals allow, flits/node/cycle."""
        return self.load.load * min(each.limit() for each in self.traffic)

    def document(self) -> dict[str, dict[str, Any]]:
        """Return the configuration as sections of plain values, every default written out; `read` accepts it."""
        one = () if self.classes else (self.sizes, self.pattern, self.arrivals)
        traffic: dict[str, Any] = {} if self.classes else {"pattern": self.pattern.kind, "arrivals": self.arrivals.kind}
        for part in (self.load, self.draws, *one, self.loop, self.injection):
            traffic |= part.model_dump(mode="json")
        if self.classes:
            traffic["classes"] = [each.document() for each in self.classes]
        optional = {name: getattr(self.switch, name) for name in OPTIONAL_PARTS}
        return {
            "switch": self.switch.model_dump(mode="json", exclude=set(SWITCH_SECTIONS)),
            "cache": self.switch.cache.model_dump(mode="json"),
            "cam": self.switch.cam.model_dump(mode="json"),
            **{name: part.model_dump(mode="json") for name, part in optional.items() if part},
            "link": self.link.model_dump(mode="json"),
            "topology": {"kind": self.topology.kind, **self.topology.model_dump(mode="json")},
            **({"planes": self.planes.model_dump(mode="json")} if self.planes else {}),
            **({"faults": self.faults.model_dump(mode="json")} if self.faults else {}),
            "routing": {"kind": self.routing.kind, **self.routing.model_dump(mode="json")},
            "traffic": traffic,
            **({"workload": self.workload.model_dump(mode="json")} if self.workload else {}),
            **({"power": self.power.model_dump(mode="json")} if self.power else {}),
            "measure": self.measure.model_dump(mode="json"),
            "run": self.run.model_dump(mode="json"),
        }


def load(path: Path | None, overrides: Iterable[str] = (), *, workload: bool = False, power: bool = False) -> Config:
    """Return the configuration of a file and of overrides of the form `section.key=value`.

    Parameters
    ----------
    path : Path or None
        TOML file; None: all defaults.
    overrides : iterable of str
        Overrides; the last one of a key counts.
    workload : bool
        Whether to add a section [workload] if there is none.
    power : bool
        Whether to add a section [power] if there is none.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names place, key, value and what is allowed.
    """
    table = read_config(path, overrides)
    if workload:
        table.setdefault("workload", {})
    if power:
        table.setdefault("power", {})
    return read(table)


def load_network(path: Path | None, overrides: Iterable[str] = ()) -> NetworkSections:
    """Read the sections [topology], [planes] and [faults] of a file, with overrides; other sections are ignored.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names place, key, value and what is allowed.
    """
    table = read_config(path, overrides)
    check_sections(table, SECTIONS)
    return network_sections(table)


def read(table: Table) -> Config:
    """Return the configuration that sections describe.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names place, key, value and what is allowed.
    """
    check_sections(table, SECTIONS)
    workload = build(WorkloadParams, table["workload"], table, "workload") if "workload" in table else None
    power = None
    if "power" in table:
        given = build(PowerParams, table["power"], table, "power")
        power = with_clock(given, workload.cycle_ns if workload else None)
        table = with_sleep(table, power)
    sections = network_sections(table)
    networks = sections.topologies()
    classes = message_classes(table, networks[0])
    pattern, arrivals, sizes, load, draws, loop, injection = traffic(without_classes(table))
    routing = kind_of(ALGORITHMS, table, "routing", "up_down" if sections.faults else "dimension_order")
    if routing.drawn_by and "adaptive" in table:
        raise TsujiError(
            f"{routing.drawn_by}: each packet has a way of its own, which adaptive routing would leave; leave out "
            "[adaptive]"
        )
    routes = ByMessageClass(base=routing, vcs=tuple(each.keys.own_vcs for each in classes)) if classes else routing
    config = Config(
        switch=switch_of(table, networks[0], routes),
        link=build(LinkParams, table.get("link", {}), table, "link"),
        topology=sections.family,
        routing=routing,
        pattern=pattern,
        arrivals=arrivals,
        sizes=sizes if classes else pattern.sizes(networks[0], sizes),
        load=load,
        draws=draws,
        loop=loop,
        injection=injection,
        measure=build(MeasureParams, table.get("measure", {}), table, "measure"),
        run=build(RunParams, table.get("run", {}), table, "run"),
        planes=sections.planes,
        workload=workload,
        power=power,
        faults=sections.faults,
        classes=classes,
    )
    _check_together(config, networks)
    return config


def _check_together(config: Config, networks: list[Topology]) -> None:
    """Refuse sections that contradict each other, or that do not fit every plane."""
    switch = config.switch
    if switch.computed and switch.routing not in config.routing.computed_by:
        assert isinstance(networks[0], ComputedTopology)  # otherwise `switch_of` has refused it
        computed_as = networks[0].computed_as
        raise TsujiError(
            f'routing.kind = "{config.routing.kind}": switch.routing = "{switch.routing}" computes the routes of '
            f'{computed_as}; use that, or switch.routing = "table" or "linear"'
        )
    config.injection.limits(switch)
    if config.classes:
        check_together(
            config.measure.mode, config.draws, config.loop, switch, routing=config.routing, workload=config.workload
        )
    if config.workload is not None and config.workload.warm_up != "none" and not switch.has_cache:
        raise TsujiError(
            f'workload.warm_up = "{config.workload.warm_up}": fills route caches, and this switch has none '
            f'(switch.routing = "{switch.routing}", cache.entries = {switch.cache.entries}); leave it out'
        )
    if config.planes is not None:
        if config.injection.think_time:
            raise TsujiError(
                f"traffic.think_time = {config.injection.think_time}: with [planes] a node has a queue in each plane, "
                "and they do not wait for each other; leave it out"
            )
        config.planes.params(config.topology, networks[0].nodes)
        _check_folds(switch, networks)
    for topology in dict.fromkeys(networks):  # identical planes are one object
        _check_adaptive(config, topology)
        config.routes.check(topology, switch.escape_vcs)
        LinkTimes.of(switch, config.link, topology)
    nodes = config.networks.for_traffic() if config.faults else networks[0]
    config.packets(nodes, config.load.load, config.run.seed)
    if config.draws.hashed:
        _check_hashed(config)
    for key, sizes in config.packet_sizes.items():
        if min(sizes) < switch.header_flits:
            raise TsujiError(
                f"{key} = {min(sizes)}: a header takes {switch.header_flits} flits of "
                f"{switch.data_width} bits; use at least as many"
            )


def _check_hashed(config: Config) -> None:
    """Refuse traffic that is not an open loop, with packets that the hash draws."""
    for key, value in (("reply_size", config.loop.reply_size), ("window", config.loop.window)):
        if value:
            raise TsujiError(f'traffic.{key} = {value}: traffic.draws = "hash" draws an open loop; leave it out')
    if config.measure.mode != "open":
        raise TsujiError(f'measure.mode = "{config.measure.mode}": traffic.draws = "hash" needs "open"')


def _check_folds(switch: SwitchParams, planes: list[Topology]) -> None:
    """Refuse planes whose switches would compute other routes than the first plane's."""
    for number, plane in enumerate(planes):
        fold = plane.computed_params["fold"] if isinstance(plane, Hypercube) else None
        if switch.computed and fold != switch.fold:
            raise TsujiError(
                f"planes.generators[{number}]: the last generator of {plane.name} is a sum of others ({fold}, as a "
                f"mask) than in the first plane ({switch.fold}); all switches compute with one switch.fold, so use "
                'switch.routing = "table" or "linear", or generators that sum up alike'
            )


def _check_adaptive(config: Config, topology: Topology) -> None:
    """Refuse adaptive routing that can deadlock, or that lacks VCs on this topology."""
    switch, adaptive = config.switch, config.switch.adaptive
    if adaptive is None:
        return
    key, size = max(((key, max(sizes)) for key, sizes in config.packet_sizes.items()), key=lambda each: each[1])
    if adaptive.kind == "escape":
        if switch.cut_through and switch.max_packet is not None and size > switch.max_packet:
            raise TsujiError(
                f'{key} = {size}: with adaptive.kind = "escape" and virtual cut-through packets '
                f"longer than switch.max_packet = {switch.max_packet} can deadlock"
            )
        needed = config.routing.least_vcs(topology)
        if switch.escape_vcs < needed:
            raise TsujiError(f"adaptive.escape_vcs = {switch.escape_vcs}: {topology.name} needs {needed}")
    elif not switch.computed:
        if isinstance(topology, HyperCrossbar):
            raise TsujiError(
                f'adaptive.kind = "step": {topology.name} takes it with switch.routing = "hyper_crossbar" only'
            )
        if topology.after_links > topology.network_ports:
            raise TsujiError(
                f'adaptive.kind = "step": a port of {topology.name} leads to a node at one switch and on at another; '
                'use "escape"'
            )
        longest = topology.figures.diameter
        if switch.vcs < longest:
            raise TsujiError(f'switch.vcs = {switch.vcs}: adaptive.kind = "step" needs {longest} on {topology.name}')
