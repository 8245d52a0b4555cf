"""Small networks for tests of workloads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.config import Config, load
from sim.engine.network import Network
from sim.schedule.job import Job
from sim.schedule.operations import Operations, Row, Whole
from sim.simulation import build
from sim.workload.network_executor import NetworkExecutor
from sim.workload.replay import replay
from sim.workload.result import WorkloadResult

RING = ("topology.kind=torus", "topology.radix=[8]", "switch.routing=dimension_order", "switch.depth=16")
TORUS = ("topology.kind=torus", "topology.radix=[4,4,4]", "switch.routing=dimension_order", "switch.depth=16")


def config(*settings: str, network: Sequence[str] = RING) -> Config:
    """Return a configuration with a section [workload]."""
    return load(None, [*network, "run.specialise=false", *settings], workload=True)


def schedule(*ranks: list[Row]) -> Whole:
    """Return a schedule, given the rows of each rank."""
    return Whole([Operations.build(rows) for rows in ranks])


def run(*ranks: list[Row], settings: Sequence[str] = (), nodes: Sequence[int] | None = None) -> WorkloadResult:
    """Replay rows of each rank on a ring of eight."""
    where = None if nodes is None else np.array(nodes)
    return replay([Job(schedule(*ranks), where)], config(*settings))


def executor(ranks: int, *settings: str, network: Sequence[str] = RING) -> NetworkExecutor:
    """Return an executor of ranks on nodes, to which operations can be posted."""
    made = config(*settings, network=network)
    assert made.workload is not None
    built = build(made)
    assert isinstance(built, Network)
    return NetworkExecutor(built, made.workload, np.arange(ranks))
