"""Searches over the load: the points they choose, on networks whose latency is a formula; and resuming."""

from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.sweep.axes import parse
from sim.sweep.curve import FIRST, CurveSearch
from sim.sweep.saturation import SaturationSearch
from sim.sweep.search import ceiling, explore, text
from sim.sweep.sweep import Simulations

SMALL = ["topology.kind=mesh", "topology.radix=[2,3]", "measure.period=100", "measure.max_measure_periods=10"]
BASE = load(None, SMALL)


def queue(offered, limit):
    """Return the measurement of a queue with this limit: latency 10 / (1 − load/limit)."""
    offered = float(offered)
    saturated = offered > 0.98 * limit
    mean = 1000.0 if saturated else 10 / (1 - offered / limit)
    figures = SimpleNamespace(
        saturated=saturated,
        offered_traffic=offered,
        accepted_traffic=min(offered, limit),
        packet_latency=SimpleNamespace(mean=mean),
    )
    return SimpleNamespace(figures=figures)


def finish(search, limit):
    """Run a search to its end; return the rounds."""
    rounds = []
    while wanted := search.wanted():
        rounds.append(wanted)
        for each in wanted:
            search.tell(each, [queue(each, limit)])
    return rounds


@pytest.mark.parametrize("limit", [0.9, 0.31, 0.0403])
def test_bisection_ends_at_the_greatest_load_carried(limit):
    search = SaturationSearch(BASE, Decimal("0.005"), 0.05)
    rounds = finish(search, limit)
    point = search.point
    assert point.load == int(0.98 * limit / 0.005) * 5 / 1000
    assert point.above == pytest.approx(point.load + 0.005)
    assert point.accepted == point.load
    assert point.most == pytest.approx(limit)
    assert all(len(each) == 1 for each in rounds)
    assert point.simulations == len(rounds) <= search.expected == 9
    assert all(each % Decimal("0.005") == 0 for each in search.results)


def test_a_network_that_carries_everything_needs_one_simulation():
    search = SaturationSearch(BASE, Decimal("0.01"), 0.05)
    assert finish(search, 2) == [[1]]
    assert search.point[:2] == (1, None)


def test_a_network_that_carries_nothing_has_no_load():
    search = SaturationSearch(BASE, Decimal("0.01"), 0.05)
    finish(search, 0.005)
    assert search.point[:4] == (None, 0.01, None, None)


def test_what_is_accepted_counts_too():
    result = queue(0.5, 10)
    result.figures.accepted_traffic = 0.47
    search = SaturationSearch(BASE, Decimal("0.5"), 0.05)
    search.tell(Decimal("0.5"), [result])
    assert search.point.load is None
    search = SaturationSearch(BASE, Decimal("0.5"), 0.07)
    search.tell(Decimal("0.5"), [result])
    assert search.point.load == 0.5


def test_a_load_is_carried_if_most_seeds_carry_it():
    search = SaturationSearch(BASE, Decimal("0.5"), 0.05, seeds=3)
    search.tell(Decimal(1), [queue(1, 0.9), queue(1, 2), queue(1, 0.9)])
    search.tell(Decimal("0.5"), [queue(0.5, 1), queue(0.5, 0.4), queue(0.5, 2)])
    assert not search.wanted()
    assert search.point[:2] == (0.5, 1)
    assert search.point.latency == pytest.approx((20 + 1000 + 40 / 3) / 3)
    assert search.point.simulations == 6


def test_the_greatest_load_is_that_of_ports_and_arrivals():
    assert ceiling(BASE) == 1
    assert ceiling(load(None, ["switch.speedup=2"])) == Decimal("0.5")
    assert ceiling(load(None, ["switch.node_ports=2"])) == 2
    bursty = ["traffic.arrivals=on_off", "traffic.burst_duty=0.1", "traffic.packet_size=2"]
    assert ceiling(load(None, bursty)) == Decimal("0.2")
    assert ceiling(load(None, ["planes.count=3", "switch.node_ports=2", "traffic.packet_size=8"])) == 6
    with pytest.raises(TsujiError, match=r"tolerance = 0.6: nodes offer at most 1 flits/node/cycle"):
        SaturationSearch(BASE, Decimal("0.6"), 0.05)


@pytest.mark.parametrize(
    ("sizes", "most", "first"),
    [
        (["traffic.packet_sizes=[1,5]", "traffic.packet_weights=[2,1]"], "0.466666", "0.466"),
        (["traffic.packet_size=3"], "0.6", "0.6"),  # 0.2 · 3 is above 0.6 as floats have it
    ],
)
def test_no_search_asks_for_more_than_arrivals_allow(sizes, most, first):
    settings = [*SMALL, "traffic.arrivals=on_off", "traffic.burst_duty=0.2", *sizes]
    config = load(None, settings)
    assert ceiling(config) == Decimal(most)
    curve = CurveSearch(config, 12)
    assert max(curve.wanted()) == Decimal(first)
    finish(curve, 0.3)
    for offered in (*curve.results, ceiling(config)):
        load(None, [*settings, f"traffic.load={text(offered)}"])


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (lambda: CurveSearch(BASE, 5), "points = 5: must be a whole number, 6 to 1000"),
        (lambda: CurveSearch(BASE, 1001), "points = 1001: must be a whole number, 6 to 1000"),
        (lambda: CurveSearch(BASE, 7.5), "points = 7.5: must be a whole number"),
        (lambda: SaturationSearch(BASE, "small", 0.05), "tolerance = small: must be a number above 0"),
        (lambda: SaturationSearch(BASE, 0, 0.05), "tolerance = 0: must be a number above 0"),
        (lambda: SaturationSearch(BASE, float("nan"), 0.05), "tolerance = nan: must be a number above 0"),
        (lambda: SaturationSearch(BASE, 0.1, 1.5), "shortfall = 1.5: must be a number, 0 to 1"),
        (lambda: SaturationSearch(BASE, 0.1, 0.05, seeds=0), "seeds = 0: must be a whole number, 1 or more"),
        (lambda: Simulations(Path(), 0), "workers = 0: must be a whole number, 1 or more"),
    ],
)
def test_searches_check_what_they_are_given(start, message):
    with pytest.raises(TsujiError, match=f"^{message}"):
        start()


@pytest.mark.parametrize("tolerance", ["0.01", 0.01, np.float64(0.01), np.float32(0.01), Decimal("0.01")])
def test_a_tolerance_is_taken_as_it_is_written(tolerance):
    search = SaturationSearch(BASE, tolerance, 0.05)
    assert search.step == Decimal("0.01")
    assert search.wanted() == [1]


@pytest.mark.parametrize("limit", [0.95, 0.6, 0.05])
def test_a_curve_has_its_points_where_it_bends(limit):
    search = CurveSearch(BASE, 24)
    finish(search, limit)
    assert len(search.results) == 24
    below, above = search.saturation
    assert below <= Decimal(repr(0.98 * limit)) < above
    assert above - below <= Decimal("0.03") * above
    loads = np.array(sorted(float(each) for each in search.results if each <= below))
    assert loads[0] == 0.01
    assert sum(each >= above for each in search.results) >= 3
    # Linear interpolation is closer to the curve than with the same number of points at equal distances.
    fine = np.linspace(loads[0], loads[-1], 2000)
    truth = 10 / (1 - fine / limit)

    def error(points):
        return np.abs(np.interp(fine, points, 10 / (1 - points / limit)) / truth - 1).max()

    assert error(loads) < 0.75 * error(np.linspace(loads[0], loads[-1], len(loads)))


def test_a_curve_without_saturation_is_refined_from_end_to_end():
    search = CurveSearch(BASE, 12)
    finish(search, 1.2)
    assert search.saturation == (1, None)
    assert len(search.results) == 12


def test_a_curve_of_a_network_that_carries_nothing_ends():
    search = CurveSearch(BASE, 12)
    finish(search, 1e-6)
    assert len(search.results) <= 12
    assert search.saturation[0] == 0


def test_a_curve_begins_with_a_look_from_end_to_end():
    assert CurveSearch(BASE, 12).wanted() == list(FIRST)


def test_loads_are_written_without_exponent():
    assert [text(Decimal(each)) for each in ("1E-5", "0.500", "1E+1", "2")] == ["0.00001", "0.5", "10", "2"]


def test_a_load_that_is_set_is_refused():
    for overrides, axes in ((["traffic.load=0.1"], []), ([], [parse("traffic.load=0.1,0.2")])):
        with pytest.raises(TsujiError, match=r"traffic.load: is what this command chooses"):
            explore(None, overrides, axes, lambda base: CurveSearch(base, 6), None)


def test_a_batch_is_refused():
    batch = ["measure.mode=batch", "measure.batch_size=5"]
    with pytest.raises(TsujiError, match=r'measure.mode = "batch": a batch has no load'):
        explore(None, batch, [], lambda base: CurveSearch(base, 6), None)


def test_searches_do_not_depend_on_workers_and_go_on_where_they_ended(tmp_path, monkeypatch):
    def search(directory, workers):
        told = []
        with Simulations(directory, workers) as simulations:
            found = explore(
                None,
                SMALL,
                [parse("traffic.pattern=uniform,hotspot")],
                lambda base: SaturationSearch(base, Decimal("0.25"), 0.05, seeds=2),
                simulations,
                lambda values, expected: told.append(expected),
            )
        results = [result for _, each in found for results in each.results.values() for result in results]
        assert told[-1] >= len(told) == len(results)
        assert [result.config["run"]["seed"] for result in results] == [1, 2] * (len(results) // 2)
        return [(values, sorted(each.results), each.point) for values, each in found]

    alone = search(tmp_path / "one", 1)
    assert search(tmp_path / "two", 2) == alone
    assert [values for values, *_ in alone] == [{"traffic.pattern": "uniform"}, {"traffic.pattern": "hotspot"}]
    import sim.sweep.sweep

    monkeypatch.setattr(sim.sweep.sweep, "simulate", lambda config: pytest.fail("it had been simulated"))
    assert search(tmp_path / "one", 1) == alone
