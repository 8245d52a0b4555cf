"""Mapping of ranks to nodes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load, load_network
from sim.schedule.job import Job, with_mappings
from sim.schedule.mapping import mapping
from sim.schedule.operations import Operations, Whole
from sim.topology.base import Topology


def _network(*settings: str) -> Topology:
    return load_network(None, settings).topologies()[0]


TORUS = _network("topology.kind=torus", "topology.radix=[4,3]")
SHARED = _network("topology.kind=torus", "topology.radix=[3,2]", "topology.locals=2")


def test_linear_and_blocked() -> None:
    assert mapping("linear", 5, TORUS).tolist() == [0, 1, 2, 3, 4]
    assert mapping("linear", 14, TORUS, 2).tolist() == [*range(12), 0, 1]
    assert mapping("blocked", 5, TORUS, 2).tolist() == [0, 0, 1, 1, 2]


def test_round_robin_takes_one_node_of_each_switch_in_turn() -> None:
    assert SHARED.nodes == 12
    nodes = mapping("round_robin", 12, SHARED)
    assert SHARED.node_switch[nodes].tolist() == [*range(6), *range(6)]
    assert sorted(nodes.tolist()) == list(range(12))


def test_random_is_drawn_by_its_seed() -> None:
    first, again, other = (mapping(f"random:{seed}", 12, TORUS).tolist() for seed in (1, 1, 2))
    assert first == again != other
    assert sorted(first) == list(range(12))


def test_coordinates() -> None:
    assert mapping("coordinates", 12, TORUS).tolist() == _sorted_by(0, 1)
    assert mapping("coordinates:1,0", 12, TORUS).tolist() == _sorted_by(1, 0)


def _sorted_by(fastest: int, slowest: int) -> list[int]:
    coordinates = TORUS.coordinates[TORUS.node_switch]  # type: ignore[attr-defined]
    return sorted(range(12), key=lambda node: (coordinates[node, slowest], coordinates[node, fastest]))


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "nodes"
    path.write_text("3\n# a comment\n0  # rank 1\n\n7\n")
    assert mapping(str(path), 3, TORUS).tolist() == [3, 0, 7]
    path.write_text("3\n3\n")
    assert mapping(str(path), 2, TORUS, 2).tolist() == [3, 3]


@pytest.mark.parametrize(
    ("text", "ranks", "message"),
    [
        ("3\n12\n", 2, ":2: `12`: expected a node from 0 to 11"),
        ("3\nthree\n", 2, ":2: `three`: expected a node from 0 to 11"),
        ("3\n0\n3\n", 3, ":3: node 3 again, after line 1: it has 1 network interface"),
        ("3\n", 2, ": 1 nodes: expected 2, one per rank"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, ranks: int, message: str) -> None:
    path = tmp_path / "nodes"
    path.write_text(text)
    with pytest.raises(TsujiError, match=re.escape(f"{path}{message}")):
        mapping(str(path), ranks, TORUS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spread", "neither a file nor one of linear, blocked, round_robin, random:SEED, coordinates:DIMENSIONS"),
        ("random:x", "expected random:SEED"),
        ("coordinates:0,0", "must name each dimension from 0 to 1 once"),
    ],
)
def test_bad_strategies(text: str, message: str) -> None:
    with pytest.raises(TsujiError, match=re.escape(message)):
        mapping(text, 4, TORUS)


def test_too_many_ranks() -> None:
    with pytest.raises(TsujiError, match="13 ranks: 12 nodes of 1 network interface take 12"):
        mapping("linear", 13, TORUS)
    assert len(mapping("linear", 13, TORUS, 2)) == 13
    assert np.bincount(mapping("random:3", 24, TORUS, 2)).max() == 2


def test_a_network_without_coordinates() -> None:
    with pytest.raises(TsujiError, match="has no coordinates"):
        mapping("coordinates", 2, _network("topology.kind=slim_fly"))


def test_one_mapping_for_all_jobs(tmp_path: Path) -> None:
    """The ranks of the second job go on where those of the first end; two mappings are one per job."""
    config = load(None, ["topology.kind=torus", "topology.radix=[4,3]"], workload=True)
    jobs = [Job(Whole([Operations.build([])] * ranks)) for ranks in (2, 3)]
    path = tmp_path / "nodes"
    path.write_text("7\n3\n11\n0\n5\n")
    assert _nodes(with_mappings(jobs, [str(path)], config)) == [[7, 3], [11, 0, 5]]
    assert _nodes(with_mappings(jobs, ["linear", "linear"], config)) == [[0, 1], [0, 1, 2]]
    assert with_mappings(jobs, [], config) is jobs
    with pytest.raises(TsujiError, match="--mapping is given 3 times: must be once, or once for each of 2 jobs"):
        with_mappings(jobs, ["linear"] * 3, config)


def _nodes(jobs: list[Job]) -> list[list[int]]:
    return [job.nodes.tolist() for job in jobs if job.nodes is not None]
