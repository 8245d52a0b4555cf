"""Packet sizes that a traffic table gives to each pair of nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.traffic.batch import Batch
from sim.traffic.stream import Stream

TABLE = "0 1 3 1\n0 1 1 9\n3 2 2 4\n"
SETTINGS = ["topology.radix=[2,2]", "topology.kind=mesh", "traffic.pattern=matrix"]


@pytest.fixture
def settings(tmp_path: Path) -> list[str]:
    path = tmp_path / "table"
    path.write_text(TABLE)
    return [*SETTINGS, f"traffic.matrix={path}"]


def test_each_pair_sends_its_sizes_in_proportion_to_their_weights(settings: list[str]) -> None:
    config = load(None, [*settings, "traffic.load=1"])
    assert (config.sizes.all, config.sizes.mean, config.sizes.key) == ((1, 4, 9), (3 * 1 + 1 * 9 + 2 * 4) / 6, "matrix")
    topology = config.topology.build()
    packets = Stream(topology, config.pattern, config.arrivals, config.sizes, 1.0, 1).until(40_000)
    counts = {
        (source, size): int(((packets.source == source) & (packets.size == size)).sum())
        for source in range(4)
        for size in range(1, 10)
    }
    births = 40_000 / config.sizes.mean  # of the busiest node, 0
    expected = {(0, 1): births * 3 / 4, (0, 9): births / 4, (3, 4): births / 2}
    assert {key for key, count in counts.items() if count} == set(expected)
    assert {key: counts[key] for key in expected} == pytest.approx(expected, rel=0.05)
    flits = np.zeros((4, 4))
    np.add.at(flits, (packets.source, packets.destination), packets.size)
    assert flits / 40_000 == pytest.approx(config.pattern.demand(topology), rel=0.05)


def test_sizes_are_of_the_table_or_of_the_configuration(settings: list[str]) -> None:
    with pytest.raises(
        TsujiError, match=r"traffic\.packet_size = 4: traffic\.matrix = .*table has sizes; leave it out"
    ):
        load(None, [*settings, "traffic.packet_size=4"])
    config = load(None, settings)
    assert not {"packet_size", "packet_sizes", "packet_weights"} & set(config.document()["traffic"])
    with pytest.raises(TsujiError, match=r"traffic\.matrix = 1: a header takes 2 flits"):
        load(None, [*settings, "switch.data_width=8"])


def test_a_batch_has_them(settings: list[str]) -> None:
    config = load(None, settings)
    packets = Batch(config.topology.build(), config.pattern, config.sizes, 200, 1).until(1)
    assert set(zip(packets.source.tolist(), packets.size.tolist(), strict=True)) == {(0, 1), (0, 9), (3, 4)}
