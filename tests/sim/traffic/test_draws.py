"""The key `traffic.draws`: NumPy's generator by default, or the hash."""

import numpy as np
import pytest

from sim.config import load
from sim.simulation import simulate
from sim.traffic.draws import Draws
from sim.traffic.hash_stream import HashStream
from sim.traffic.stream import Stream

SMALL = (
    "topology.radix=[2, 2]",
    "switch.routing=dimension_order",
    "measure.period=100",
    "measure.measure_periods=2",
    "measure.max_measure_periods=2",
    "measure.warmup_periods=1",
    "measure.max_warmup_periods=2",
)


def test_numpy_draws_unless_told():
    config = load(None, [])
    assert config.draws.draws == "numpy"
    assert config.document()["traffic"]["draws"] == "numpy"
    parts = config.topology.build(), config.pattern, config.arrivals, config.sizes, 0.1, 1
    assert isinstance(config.draws.stream(*parts), Stream)
    assert isinstance(Draws(draws="hash").stream(*parts), HashStream)


@pytest.mark.parametrize("draws", ["numpy", "hash"])
def test_the_traffic_that_fills_caches_is_drawn_from_another_seed(draws):
    seeds = {seed: Draws(draws=draws).seeds(seed) for seed in (0, 1, 77, (1 << 32) - 1)}
    for measured, fill in seeds.values():
        assert measured != fill
    assert len({measured for measured, _ in seeds.values()}) == len(seeds)


def test_numpy_s_seeds_are_as_before():
    measured, fill = np.random.SeedSequence(5).generate_state(2, np.uint64)
    assert Draws().seeds(5) == (measured, fill)


def test_a_run_repeats_and_hangs_on_its_seed():
    def run(*more):
        return simulate(load(None, [*SMALL, "traffic.draws=hash", *more])).figures

    one = run()
    assert one.packets > 0
    assert one.packet_histogram == run().packet_histogram
    assert one.packet_histogram != run("run.seed=2").packet_histogram
    assert one.packet_histogram != run("traffic.draws=numpy").packet_histogram
