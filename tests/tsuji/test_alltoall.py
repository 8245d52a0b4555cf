"""All-to-all by the three programs of paper B, with low-power idle: packets and packet-hops are exact."""

from __future__ import annotations

from math import prod
from pathlib import Path

import pytest

import tsuji
from sim.config import load

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "examples" / "alltoall8x8x8.toml"
PROGRAMS = ("alltoall_pairwise", "alltoall_ring", "alltoall_simple_spread")
FLITS = 32  # of 64 bytes each, in a packet of 2,048 bytes


def all_to_all(name: str, radix: list[int]) -> None:
    """Run a program on a torus, and count the arrivals."""
    ranks = prod(radix)
    result, _ = tsuji.mpi(
        ROOT / "examples" / "mpi" / f"{name}.py", ranks, CONFIG,
        {"topology.radix": radix, "run.specialise": False}, slow_down=False,
    )  # fmt: skip
    around = [sum(min(step, size - step) for step in range(size)) for size in radix]  # hops to all in a dimension
    hops = ranks * sum(each * ranks // size for each, size in zip(around, radix, strict=True))
    assert result.packets == result.messages == ranks * (ranks - 1)
    assert result.bytes == 2048 * ranks * (ranks - 1)
    assert result.flit_hops == FLITS * hops
    if radix == [8, 8, 8]:
        assert (result.packets, hops) == (261_632, 1_572_864)


def test_the_example_is_paper_b() -> None:
    config = load(CONFIG, [], workload=True)
    assert config.workload is not None
    assert config.switch.lpi is not None
    cycle = config.workload.cycle_ns
    assert (config.switch.lpi.wake * cycle, config.switch.lpi.sleep * cycle) == (2880, 4480)
    assert config.switch.data_width / 8 / cycle == 5.0  # bytes/ns: GB/s
    assert config.workload.packet_flits(config.switch.data_width) == FLITS


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_reduced_size(name: str) -> None:
    all_to_all(name, [4, 2, 3])


@pytest.mark.campaign
@pytest.mark.parametrize("name", PROGRAMS)
def test_of_full_size(name: str) -> None:
    all_to_all(name, [8, 8, 8])
