"""Jobs: schedules, with the nodes of their ranks and their start times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.config import Config
from sim.schedule.mapping import mapped
from sim.schedule.operations import Schedule

Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Job:
    """A schedule mapped to nodes.

    Attributes
    ----------
    schedule : Schedule
    nodes : array [ranks] or None
        Node of each rank; None: rank k, counted over all jobs, is on node k.
    start_ns : float
        Start time of its ranks.
    """

    schedule: Schedule
    nodes: Int64 | None = None
    start_ns: float = 0.0


def with_mappings(jobs: list[Job], mappings: Sequence[str], config: Config) -> list[Job]:
    """Return jobs with mappings applied: one mapping per job, or one for the ranks of all jobs; empty: jobs unchanged.

    Raises
    ------
    TsujiError
        If the number of mappings is neither 0, 1 nor that of jobs, or one is invalid (`sim.schedule.mapping`).
    """
    if not mappings:
        return jobs
    ranks = [job.schedule.ranks for job in jobs]
    if len(mappings) == len(jobs):
        parts = [mapped(text, count, config) for text, count in zip(mappings, ranks, strict=True)]
    elif len(mappings) == 1:
        parts = np.split(mapped(mappings[0], sum(ranks), config), np.cumsum(ranks)[:-1])
    else:
        raise TsujiError(
            f"--mapping is given {len(mappings)} times: must be once, or once for each of {len(jobs)} jobs"
        )
    return [replace(job, nodes=where) for job, where in zip(jobs, parts, strict=True)]


def place(jobs: list[Job], nodes: int, a_node: int) -> Int64:
    """Return the node of each rank, of all jobs one after the other.

    Parameters
    ----------
    jobs : list of Job
    nodes : int
        Nodes of the network.
    a_node : int
        Most ranks per node: one for each interface.

    Raises
    ------
    TsujiError
        If there are too few nodes, a node does not exist, or a node has too many ranks.
    """
    parts: list[Int64] = []
    count = 0
    for job in jobs:
        where, ranks = job.nodes, job.schedule.ranks
        if where is None:
            where = np.arange(count, count + ranks)
            if count + ranks > nodes * a_node:
                raise TsujiError(f"{job.schedule.source}: {count + ranks} ranks: there are {nodes} nodes")
            where = where // a_node if count + ranks > nodes else where
        elif len(where) != ranks:
            raise TsujiError(f"{job.schedule.source}: {ranks} ranks: the mapping has {len(where)}")
        parts.append(np.asarray(where, np.int64))
        count += ranks
    placed = np.concatenate(parts) if parts else np.empty(0, np.int64)
    for rank in np.flatnonzero((placed < 0) | (placed >= nodes))[:1]:
        raise TsujiError(f"rank {rank} on node {placed[rank]}: must be 0 to {nodes - 1}")
    shared = np.bincount(placed, minlength=1)
    if shared.max() > a_node:
        node = int(np.argmax(shared))
        ranks_there = np.flatnonzero(placed == node)
        raise TsujiError(
            f"node {node} gets {shared[node]} ranks ({', '.join(map(str, ranks_there[:4]))}"
            f"{', …' if len(ranks_there) > 4 else ''}): it has {a_node} network interface{'s' if a_node > 1 else ''}"
        )
    return placed
