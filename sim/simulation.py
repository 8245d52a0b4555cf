"""One simulation, from a configuration to figures: topology → routes → check → network → measurement."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from models.errors import TsujiError
from sim.config import Config
from sim.engine.batched.choice import Simd, is_batched
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.engine.processes.processes import Processes
from sim.lib.progress import report
from sim.measure.batch import BatchMeasurement
from sim.measure.open_loop import Measurement, Progress
from sim.measure.result import Result
from sim.power.file_names import check_files
from sim.power.recorder import PowerRecorder
from sim.routing.adaptive import with_choices
from sim.routing.base import Tables
from sim.routing.deadlock import adaptive_routes as adaptive_deadlock
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.deadlock import rings as ring_deadlock
from sim.routing.dimension_order import DimensionOrder, even_rings, with_fixed_classes
from sim.routing.ternary_entries import with_ternary_addresses
from sim.topology.base import Topology
from sim.topology.computed import ComputedTopology
from sim.topology.torus import Grid
from sim.traffic.batch import Batch


class DeadlockWarning(UserWarning):
    """A run with routes that can deadlock was forced (`run.force`)."""


Routes = Callable[[Topology, int], Tables]


def build(config: Config, routes: Routes | None = None, processes: Processes | None = None) -> Network | PlaneNetwork:
    """Return the network of a configuration at reset, or its planes, with routes checked for deadlock and programmed.

    Parameters
    ----------
    config : Config
        What to build.
    routes : callable, optional
        Called with topology and number of VCs, returns the tables that replace those of `config`; one plane only.
    processes : Processes or None
        Processes under MPI that advance it, of which each builds it.

    Raises
    ------
    TsujiError
        If the routes can deadlock, or do not fit the topology or the switch.
    """
    if config.planes is None:
        return _network(config, config.networks.topologies()[0], routes, processes)
    networks = [_network(config, topology, None, processes) for topology in config.networks.topologies()]
    return PlaneNetwork(config.planes.params(config.topology, networks[0].topology.nodes), networks)


def checked_routes(config: Config) -> tuple[Topology, Tables]:
    """Return a network, the first of several planes, and the routes of its tables, checked for deadlock.

    With adaptive routing, these are the routes of the escape VCs.

    Raises
    ------
    TsujiError
        If switches compute their routes, or the routes can deadlock, or do not fit the topology.
    """
    switch = config.switch
    if not switch.programmed:
        raise TsujiError(f'switch.routing = "{switch.routing}": switches compute routes; use "table" or "linear"')
    topology = config.networks.topologies()[0].with_node_ports(switch.node_ports)
    config.routes.check_size(topology)
    tables = config.routes.tables(topology, switch.escape_vcs)
    _check_deadlock(config, topology, tables)
    return topology, tables


def _network(
    config: Config, topology: Topology, routes: Routes | None = None, processes: Processes | None = None
) -> Network:
    """Return one plane."""
    topology = topology.with_node_ports(config.switch.node_ports)
    if config.switch.ternary:
        topology = with_ternary_addresses(topology)
    if isinstance(topology, ComputedTopology) and config.switch.computed and topology.ordered:
        # Free of deadlock; tables to check it would be too large for many nodes.
        return _computing(config, topology, processes)
    if isinstance(topology, Grid) and config.switch.computed and not config.switch.selects and routes is None:
        config.routing.check(topology, config.switch.vcs)
        with _forced(config):
            ring_deadlock.check(topology, partial(_computed_tables, config))
        return _computing(config, topology, processes)
    tables = routes(topology, config.switch.vcs) if routes else tables_of(config, topology)
    _check_deadlock(config, topology, tables)
    if config.switch.programmed:
        report("programming tables")
        return Network(
            config.switch,
            config.link,
            topology,
            tables,
            seed=config.run.seed,
            **_of_run(config, processes),
        )
    assert isinstance(topology, ComputedTopology)
    return _computing(config, topology, processes)


def tables_of(config: Config, topology: Topology) -> Tables:
    """Return the tables of the routes that switches look up or compute."""
    switch = config.switch
    config.routes.check_size(topology)
    tables = config.routes.tables(topology, switch.escape_vcs)
    if switch.selects and switch.routing != "hyper_crossbar":
        tables = with_choices(topology, tables, switch)
    return tables


def _computed_tables(config: Config, topology: Grid) -> Tables:
    """Return the routes that switches of a torus or mesh compute, as tables."""
    switch = config.switch
    ties = switch.ties if even_rings(topology) else "parity"
    if switch.ring_classes == "fixed":
        return with_fixed_classes(topology, switch.vcs, ties)
    return DimensionOrder(ties=ties).tables(topology, switch.vcs)


def _computing(config: Config, topology: ComputedTopology, processes: Processes | None) -> Network:
    """Return a network whose switches compute their routes."""
    addressed = topology.with_addresses(topology.coordinate_tags)
    report("network at reset")
    return Network(config.switch, config.link, addressed, None, seed=config.run.seed, **_of_run(config, processes))


def in_batches(config: Config) -> bool:
    """Return whether the switches of a configuration, in several planes of the first, are advanced 64 at a time."""
    topology = config.networks.topologies()[0].with_node_ports(config.switch.node_ports)
    threads = config.run.threads
    return is_batched(_simd(config), config.switch, topology, 1 if threads == "auto" else threads)


def _simd(config: Config) -> Simd:
    """Return `run.simd`; messages of ranks keep few switches busy, so that batches of them do not pay."""
    return False if config.workload and config.run.simd == "auto" else config.run.simd


def _of_run(config: Config, processes: Processes | None) -> dict[str, Any]:
    """Return the arguments of `Network` that do not depend on routes."""
    return {
        "stall_cycles": config.run.stall_cycles,
        "specialise": config.run.specialise,
        "threads": config.run.threads,
        "processes": processes,
        "simd": _simd(config),
        "loop": config.loop,
        "injection": config.injection,
    }


def _check_deadlock(config: Config, topology: Topology, tables: Tables) -> None:
    """Refuse routes that can deadlock, or warn of them if the run is forced."""
    with _forced(config):
        if tables.choices is None:
            deadlock.check(topology, tables)
        else:
            adaptive_deadlock.check(topology, tables, config.switch)


@contextmanager
def _forced(config: Config) -> Iterator[None]:
    """Turn the error of a check into a warning if the run is forced."""
    try:
        yield
    except deadlock.DeadlockError as error:
        if not config.run.force:
            raise
        warnings.warn(str(error).replace(deadlock.ADVICE, ""), DeadlockWarning, stacklevel=5)


def _power(config: Config, network: Network | PlaneNetwork, path: Path | None) -> Callable[[], PowerRecorder] | None:
    """Return a function that starts the energy account, or None without [power]."""
    if config.power is None:
        if path is not None:
            raise TsujiError(f"power file {path}: there is no section [power]; set it, empty or not")
        return None
    parts = network, config.switch, config.power, config.document(), path
    return partial(PowerRecorder, *parts)


def simulate(
    config: Config,
    progress: Progress | None = None,
    power_file: Path | None = None,
    processes: Processes | None = None,
) -> Result:
    """Measure the network that a configuration describes.

    Parameters
    ----------
    config : Config
        What to simulate.
    progress : callable or None
        Called with the progress after every sample period.
    power_file : Path or None
        File for the power of links, chunk by chunk (`sim.power.chunk_files`); needs a section [power].
    processes : Processes or None
        Processes under MPI that advance the network; each calls this function, and each gets the result.

    Raises
    ------
    TsujiError
        If parts of the configuration contradict each other; `StalledError` (`sim.engine.stalls.stall`) if no flit moves
        any more.
    """
    if power_file is not None:
        check_files(power_file)
    network = build(config, processes=processes)
    seed, fill_seed = config.draws.seeds(config.run.seed)
    fill_load = min(config.measure.fill_load, config.most_load())
    # With several planes, `network.topology` is their union, which a pattern cannot recognise as a torus.
    topology = config.networks.for_traffic()
    fill = config.packets(topology, fill_load, fill_seed)
    parts = config.switch, config.link, config.measure, progress, config.loop, _power(config, network, power_file)
    if config.measure.batch_size is not None:
        batch = Batch(topology, config.pattern, config.sizes, config.measure.batch_size, seed)
        measurement: Measurement = BatchMeasurement(network, batch, fill, *parts)
    else:
        stream = config.packets(topology, config.load.load, seed)
        names = tuple(each.keys.name for each in config.classes)
        measurement = Measurement(network, stream, fill, *parts, class_names=names)
    try:
        figures = measurement.run()
    except BaseException as error:  # Ctrl-C, too
        measurement.break_off(error)
        raise
    return Result(config.document(), figures, utilisation=measurement.utilisation)
