"""The design of a configuration: its network, and what the host must know of it."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass

from cocotb_tests.network.hardware_of import Entries, entries_of, wiring_of
from cocotb_tests.runner.verilog import kept_verilog
from hdl.network import parts_verilog
from hdl.verilog import component_verilog
from models.errors import TsujiError
from sim.config import Config
from sim.engine.network import Network
from sim.routing.base import Tables
from sim.simulation import build, tables_of
from sim.topology.base import Topology
from sim.traffic.hash_stream import fixed_destinations
from synth.boards import memory_map as where
from synth.boards.prototype import Design, Prototype

TOP = "tsuji_board"


@dataclass(frozen=True)
class Plan:
    """A configuration, checked for a board.

    Attributes
    ----------
    config : Config
        The configuration.
    design : Design
        Hardware of it.
    topology : Topology
        With the addresses of the nodes.
    entries : Entries or None
        Of the route tables; None if switches compute their routes.
    """

    config: Config
    design: Design
    topology: Topology
    entries: Entries | None

    def verilog(self, divisor: int) -> str:
        """Return the Verilog of the prototype, module `TOP`, with this divisor of its UART."""
        design = self.design
        kinds = (design.switch, design.link, design.wires)
        parts = kept_verilog(repr(("parts", *kinds)), lambda: parts_verilog(*kinds))
        return f"{component_verilog(Prototype(design, divisor), TOP, parts)}\n{parts}"


def plan(config: Config) -> Plan:
    """Return the plan of a configuration.

    Raises
    ------
    TsujiError
        If the configuration describes what a board's nodes cannot do.
    """
    _check(config)
    network = build(config)
    assert isinstance(network, Network)
    topology = network.topology
    switch = config.switch
    tables = tables_of(config, topology) if switch.programmed else None
    _check_size(topology, tables)
    design = Design(
        switch,
        config.link,
        wiring_of(switch, topology),
        [int(address) for address in topology.addresses],
        _fixed(config),
        config.sizes.all[0],
        digest(config),
    )
    return Plan(config, design, topology, entries_of(switch, topology, tables) if tables else None)


def _fixed(config: Config) -> list[int] | None:
    """Return the node to which each node sends, if the pattern is a permutation."""
    fixed = fixed_destinations(config.pattern, config.networks.for_traffic())
    return [int(node) for node in fixed] if len(fixed) else None


def digest(config: Config) -> int:
    """Return a CRC-32 of what a bitstream depends on; seed, load and lengths of phases are the host's."""
    document = config.document()
    fixed = {name: document[name] for name in document if name not in ("measure", "run", "power")}
    fixed["traffic"] = {"packet_size": config.sizes.all[0]}
    return zlib.crc32(json.dumps(fixed, sort_keys=True).encode())


def _check(config: Config) -> None:
    """Refuse what nodes in hardware do not do."""
    traffic = config.document()["traffic"]
    if traffic.get("draws") != "hash":
        raise TsujiError('traffic.draws: must be "hash" for a board, whose nodes draw their traffic by a hash')
    if config.planes is not None or config.workload is not None:
        section = "planes" if config.planes is not None else "workload"
        raise TsujiError(f"[{section}]: a board has one network, whose nodes draw their traffic; leave the section out")
    if config.switch.node_ports != 1:
        raise TsujiError(f"switch.node_ports = {config.switch.node_ports}: a node of a board has one port")
    if config.injection.model_dump() != type(config.injection)().model_dump():
        raise TsujiError("traffic: the nodes of a board send one packet at a time, without think_time")


def _check_size(topology: Topology, tables: Tables | None) -> None:
    """Refuse a network whose numbers the host's addresses do not hold."""
    sizes = (
        ("nodes", topology.nodes, where.MOST_NODES),
        ("switches", topology.switches, where.MOST_SWITCHES),
        ("ports of a switch", topology.ports, where.MOST_PORTS),
    )
    for name, value, most in sizes:
        if value > most:
            raise TsujiError(f"{topology.name}: {value} {name}; a board's host addresses at most {most}")
    if tables is not None and tables.paths > 1:
        raise TsujiError(f"routing: {tables.paths} paths to a node; the nodes of a board know one")
