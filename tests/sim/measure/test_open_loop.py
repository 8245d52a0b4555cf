"""Open-loop measurements: meaning of the figures, end of a run, saturation."""

import numpy as np
import pytest

from sim.config import load
from sim.simulation import build, simulate
from sim.traffic.stream import Stream

SMALL = ["topology.kind=mesh", "topology.radix=[2,3]", "measure.period=300", "run.seed=5"]
NO_CACHE = ["cache.entries=0", "traffic.packet_size=1"]


def figures(*settings):
    return simulate(load(None, [*SMALL, *settings])).figures


def plain(found):
    return found._replace(wall_s=0.0)


def test_the_same_seed_gives_the_same_figures():
    assert plain(figures("traffic.load=0.3")) == plain(figures("traffic.load=0.3"))
    assert plain(figures("traffic.load=0.3")) != plain(figures("traffic.load=0.3", "run.seed=6"))


@pytest.mark.parametrize("load_", [0.05, 0.3])
def test_below_saturation_all_that_is_offered_is_accepted(load_):
    found = figures(f"traffic.load={load_}")
    assert not found.saturated
    assert found.unfinished == found.dropped == 0
    assert found.offered_traffic == pytest.approx(load_, rel=0.15)
    assert found.accepted_traffic == pytest.approx(found.offered_traffic, rel=0.05)


def test_an_almost_empty_network_has_the_closed_form_s_latency():
    found = figures("traffic.load=0.002", "measure.period=5000")
    assert found.cache.hit_rate == 1
    assert found.packet_latency.mean == pytest.approx(found.zero_load_latency, abs=0.1)
    assert found.network_latency.mean == pytest.approx(found.zero_load_latency - 1, abs=0.1)


def test_latency_is_measured_from_birth():
    found = figures("traffic.load=0.5")
    assert found.packet_latency.mean > found.network_latency.mean + 1
    for summary in (found.packet_latency, found.network_latency):
        assert summary.p50 <= summary.p99 <= summary.max
        assert found.zero_load_latency - 1 <= summary.mean <= summary.max


def test_the_interval_is_as_narrow_as_asked_for():
    wide = figures("traffic.load=0.3", "measure.precision=0.05")
    narrow = figures("traffic.load=0.3", "measure.precision=0.005", "measure.max_measure_periods=500")
    assert narrow.converged
    assert narrow.packet_latency.ci95 <= 0.005 * narrow.packet_latency.mean
    assert narrow.phases.measure > wide.phases.measure == 10 * 300
    assert abs(wide.packet_latency.mean - narrow.packet_latency.mean) < 2 * wide.packet_latency.ci95


def test_a_run_that_may_not_go_on_says_so():
    found = figures("traffic.load=0.3", "measure.precision=0.0001", "measure.max_measure_periods=10")
    assert not found.converged
    assert not found.saturated


@pytest.mark.parametrize("settings", [["traffic.load=0.95"], ["traffic.load=0.2", *NO_CACHE]])
def test_more_than_the_network_carries_is_saturation(settings):
    found = figures(*settings)
    assert found.saturated
    assert not found.converged
    assert found.accepted_traffic < 0.93 * found.offered_traffic


def test_source_queues_that_grow_are_saturation_before_latency_tells():
    found = figures("traffic.load=0.95", "measure.latency_factor=100000")
    assert found.saturated


def test_one_lookup_at_a_time_bounds_the_traffic():
    """The CAM answers once in `occupancy` cycles; the busiest switch sets the limit, apart from merged misses."""
    fast = figures("traffic.load=0.1", *NO_CACHE, "cam.latency=8", "cam.occupancy=2")
    slow = figures("traffic.load=0.1", *NO_CACHE, "cam.latency=8", "cam.occupancy=50")
    assert not fast.saturated
    assert slow.saturated
    assert slow.accepted_traffic < 0.05


def test_caches_fill_as_long_whatever_the_period():
    """Many destinations: caches fill slowly, and a short period sees few lookups."""
    settings = ("topology.radix=[8, 8]", "traffic.load=0.1")
    long, short = figures(*settings, "measure.period=1000"), figures(*settings, "measure.period=100")
    assert long.phases.fill == short.phases.fill > 5000
    assert short.cache.hit_rate > 0.99
    assert not short.saturated


def test_a_network_measured_with_cold_caches_says_so():
    assert not figures("topology.radix=[8, 8]", "traffic.load=0.02", "measure.fill_periods=2").converged


def test_caches_are_filled_before_the_window():
    settings = "traffic.load=0.02", "topology.radix=[5,5]"
    filled, cold = figures(*settings), figures(*settings, "measure.fill_periods=0")
    assert filled.phases.fill > 0 == cold.phases.fill
    assert filled.cache.misses == 0
    assert filled.cache.hit_rate == 1.0
    assert cold.cache.misses > 0


def test_a_cache_too_small_goes_on_missing():
    found = figures("traffic.load=0.05", "cache.entries=2", "cache.ways=1")
    assert 0 < found.cache.hit_rate < 1
    assert found.cache.evictions > 0
    assert found.packet_latency.mean > figures("traffic.load=0.05").packet_latency.mean + 10


def test_without_counters_there_are_no_cache_figures():
    found = figures("traffic.load=0.05", "switch.counter_width=0")
    assert found.cache == (None, None, None)
    assert found.packets > 0


def test_no_cache_has_no_cache_figures():
    assert figures("traffic.load=0.01", "cache.entries=0").cache == (None, None, None)


def test_hops_are_those_of_the_topology():
    found = figures("traffic.load=0.3", "measure.period=2000")
    mean = load(None, SMALL).topology.build().figures.mean_distance
    assert found.hops == pytest.approx(1 + mean, rel=0.02)
    flit_hops = (found.hops - 1) * found.accepted_traffic * 6 * found.phases.measure
    assert found.flit_hops > flit_hops


def test_little_s_law():
    """From empty to empty: packets in the network, summed over cycles, equal latencies summed over packets. Exact."""
    config = load(None, SMALL)
    network = build(config)
    packets = Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.6, 1).until(1500)
    there, latency, left = 0, 0, len(packets)
    assert left > 1000
    while left:
        network.offer(packets[packets.birth == network.cycle])
        there += network.in_flight
        out = network.advance(1)
        latency += int((out.eject - out.birth).sum())
        left -= len(out)
    assert there == latency


def test_progress_names_the_phases_in_order():
    told = []
    simulate(load(None, [*SMALL, "traffic.load=0.3"]), lambda *what: told.append(what))
    phases = list(dict.fromkeys(phase for phase, *_ in told))
    assert phases == ["loading the engine", "filling caches", "warming up", "measuring", "draining"][: len(phases)]
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert all(expected > done for _, done, expected in told)


@pytest.mark.parametrize("arrivals", ["bernoulli", "poisson"])
@pytest.mark.parametrize("pattern", ["uniform", "transpose", "bit_complement", "tornado", "hotspot"])
def test_every_pattern_runs(pattern, arrivals):
    settings = ["topology.radix=[4,4]", f"traffic.pattern={pattern}", f"traffic.arrivals={arrivals}"]
    found = simulate(load(None, [*settings, "measure.period=200"])).figures
    assert not found.saturated
    assert found.packet_latency.mean < 1.5 * found.zero_load_latency


@pytest.mark.parametrize("pattern", ["random_permutation", "asymmetric", "group_shift"])
def test_patterns_with_parameters_run(pattern):
    settings = ["topology.radix=[4,4]", f"traffic.pattern={pattern}", "measure.period=200"]
    found = simulate(load(None, settings)).figures
    assert not found.saturated
    assert found.offered_traffic == pytest.approx(0.05 if pattern == "asymmetric" else 0.1, rel=0.2)


def test_bursts_wait_longer_than_the_same_load_in_single_packets():
    smooth = figures("traffic.load=0.3")
    bursts = figures("traffic.load=0.3", "traffic.arrivals=on_off", "traffic.burst_duty=0.1", "traffic.burst_cycles=60")
    assert bursts.accepted_traffic == pytest.approx(0.3, rel=0.1)
    assert bursts.packet_latency.mean > 1.5 * smooth.packet_latency.mean


def test_packets_of_mixed_sizes_have_the_closed_form_s_latency():
    sizes = ["traffic.packet_sizes=[1,4]", "traffic.packet_weights=[2,1]"]
    found = figures("traffic.load=0.002", "measure.period=5000", *sizes)
    assert found.packet_latency.mean == pytest.approx(found.zero_load_latency, abs=0.1)
    assert found.offered_traffic == pytest.approx(0.002, rel=0.2)
    single = figures("traffic.load=0.002", "measure.period=5000", "traffic.packet_size=2")
    assert found.zero_load_latency == pytest.approx(single.zero_load_latency, abs=0.5)


def test_percentiles_and_histogram_are_of_the_same_packets():
    found = figures("traffic.load=0.5")
    for summary, histogram in (
        (found.packet_latency, found.packet_histogram),
        (found.network_latency, found.network_histogram),
    ):
        assert sum(histogram.packets) == found.packets - found.unfinished
        assert histogram.start[-1] <= summary.max < histogram.start[-1] + histogram.width[-1]
        below = [summary.p50, summary.p90, summary.p95, summary.p99, summary.p999, summary.max]
        assert below == sorted(below)
        half = np.searchsorted(np.cumsum(histogram.packets), sum(histogram.packets) / 2)
        assert histogram.start[half] <= summary.p50 <= histogram.start[half] + histogram.width[half]
