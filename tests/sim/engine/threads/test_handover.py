"""The order in which packets that have arrived are noted, whatever part noted them first."""

import numpy as np
import pytest

from sim.engine.state import PACKET
from sim.engine.threads.handover import MOST_KEYS, arrival_order

FIELDS = ("eject", "destination", "source", "birth")


def arrived(rows: list[tuple[int, int, int, int]]) -> np.ndarray:
    found = np.zeros(len(rows), PACKET)
    for name, values in zip(FIELDS, np.array(rows, np.int64).reshape(-1, 4).T, strict=True):
        found[name] = values
    return found


def in_order(rows: list[tuple[int, int, int, int]]) -> list[tuple[int, ...]]:
    packets = arrived(rows)[arrival_order(arrived(rows))]
    return [tuple(int(each[name]) for name in FIELDS) for each in packets]


@pytest.mark.parametrize("cycles", [1, 40, 5000])
@pytest.mark.parametrize("nodes", [1, 7, 300])
def test_by_cycle_destination_source_and_birth(cycles: int, nodes: int) -> None:
    rng = np.random.default_rng(cycles * nodes)
    rows = [tuple(map(int, rng.integers(0, (cycles, nodes, nodes, cycles)))) for _ in range(500)]
    assert in_order(rows) == sorted(rows)


def test_each_node_takes_at_most_one_in_a_cycle() -> None:
    rows = [(cycle, node, (node * 5 + cycle) % 9, cycle) for node in range(9) for cycle in range(60)]
    assert in_order(rows) == sorted(rows)


def test_the_cycle_counts_before_the_node() -> None:
    rows = [(1, 0, 4, 0), (0, 5, 2, 0), (0, 3, 7, 0)]
    assert in_order(rows) == sorted(rows)


def test_cycles_too_far_apart_for_one_key() -> None:
    rows = [(MOST_KEYS // 2, 3, 0, 1), (5, 9, 1, 2), (5, 2, 4, 0), (MOST_KEYS, 0, 0, 0)]
    assert in_order(rows) == sorted(rows)


def test_none() -> None:
    assert in_order([]) == []
