"""One simulation, from a configuration to figures: topology → routes → check → network → measurement."""

from __future__ import annotations

import numpy as np

from sim.batch_measure import BatchMeasurement
from sim.config import Config
from sim.measure import Measurement, Progress
from sim.network import Network
from sim.result import Result
from sim.routing import deadlock
from sim.routing.adaptive import with_choices
from sim.topology.base import Topology
from sim.topology.coordinates import CoordinateTopology
from sim.traffic.batch import Batch
from sim.traffic.stream import Stream


def build(config: Config) -> Network:
    """Return the network at reset, its routes checked and programmed.

    Raises
    ------
    TsujiError
        If the routes can deadlock, or do not fit the topology or the switch.
    """
    topology: Topology = config.topology.build().with_lanes(config.switch.lanes)
    tables = config.routing.tables(topology, config.switch.escape_vcs)
    deadlock.check(topology, tables)
    if config.switch.has_cam:
        if config.switch.selects:
            tables = with_choices(topology, tables, config.switch)
        return Network(
            config.switch, config.link, topology, tables, stall_cycles=config.run.stall_cycles, loop=config.loop
        )
    assert isinstance(topology, CoordinateTopology)
    addressed = topology.with_addresses(topology.coordinate_tags)
    return Network(config.switch, config.link, addressed, None, stall_cycles=config.run.stall_cycles, loop=config.loop)


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
        If parts of the configuration do not fit each other; `sim.stall.StalledError` if the network stands still.
    """
    network = build(config)
    seeds = np.random.SeedSequence(config.run.seed).generate_state(2, np.uint64)
    fill_load = min(config.measure.fill_load, config.arrivals.limit() * config.sizes.mean)
    topology, pattern, sizes = network.topology, config.pattern, config.sizes
    fill = Stream(topology, pattern, config.arrivals, sizes, fill_load, int(seeds[1]))
    parts = config.switch, config.link, config.measure, progress, config.loop
    if config.measure.batch_size is not None:
        batch = Batch(topology, pattern, sizes, config.measure.batch_size, int(seeds[0]))
        measurement: Measurement = BatchMeasurement(network, batch, fill, *parts)
    else:
        stream = Stream(topology, pattern, config.arrivals, sizes, config.load.load, int(seeds[0]))
        measurement = Measurement(network, stream, fill, *parts)
    figures = measurement.run()
    return Result(config.document(), figures, utilisation=measurement.utilisation)
