"""One simulation, from a configuration to figures: topology → routes → check → network → measurement."""

from __future__ import annotations

import numpy as np

from sim.config import Config
from sim.measure import Measurement, Progress
from sim.network import Network
from sim.result import Result
from sim.routing import deadlock
from sim.routing.adaptive import with_choices
from sim.topology.base import Topology
from sim.topology.coordinates import CoordinateTopology
from sim.topology.hypercube import Hypercube
from sim.traffic.stream import Stream


def build(config: Config) -> Network:
    """Return the network at reset, its routes checked and programmed.

    Raises
    ------
    TsujiError
        If the routes can deadlock, or do not fit the topology or the switch.
    """
    topology: Topology = config.topology.build().with_lanes(config.switch.lanes)
    if isinstance(topology, Hypercube) and config.switch.computed:
        # Links are taken in increasing order: free of deadlock, without tables (too large for many nodes) to show it.
        return Network(config.switch, config.link, topology.with_addresses(topology.coordinate_tags), None)
    tables = config.routing.tables(topology, config.switch.escape_vcs)
    deadlock.check(topology, tables)
    if config.switch.has_cam:
        if config.switch.selects:
            tables = with_choices(topology, tables, config.switch)
        return Network(config.switch, config.link, topology, tables)
    assert isinstance(topology, CoordinateTopology)
    return Network(config.switch, config.link, topology.with_addresses(topology.coordinate_tags), None)


def simulate(config: Config, progress: Progress | None = None) -> Result:
    """Measure the network that a configuration describes.

    Parameters
    ----------
    config : Config
        What to simulate.
    progress : callable or None
        Told after every sample period how far it is.

    Raises
    ------
    TsujiError
        If parts of the configuration do not fit each other.
    """
    network = build(config)
    seeds = np.random.SeedSequence(config.run.seed).generate_state(2, np.uint64)
    stream, fill = (
        Stream(network.topology, config.pattern, config.arrivals, config.sizes, load, int(seed))
        for load, seed in zip((config.load.load, config.measure.fill_load), seeds, strict=True)
    )
    measurement = Measurement(network, stream, fill, config.switch, config.link, config.measure, progress)
    return Result(config.document(), measurement.run())
