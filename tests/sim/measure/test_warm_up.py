"""When a network has settled, by values worked out by hand."""

import numpy as np
import pytest

from sim.config.measure import MeasureParams
from sim.measure.period import Period
from sim.measure.warm_up import is_settled
from sim.packets import Delivered

STRICT = MeasureParams(latency_tolerance=1e-9, throughput_tolerance=1e-9)


def period(latency, size=1):
    """Return a period in which packets of `size` flits left with these latencies."""
    columns = {name: np.zeros(len(latency), np.int64) for name in Delivered.__dataclass_fields__}
    columns["eject"] = np.array(latency, np.int64)
    columns["size"] = np.full(len(latency), size, np.int64)
    none = np.zeros(1, np.int64)
    return Period(Delivered(**columns), none, none, 0, 0)


@pytest.mark.parametrize(
    ("packets", "later", "settled"),
    [
        # Each period has the variance 25: two standard errors of the difference are 2·√(25/n + 25/n).
        (2, 10, True),  # 10.0
        (2, 11, False),
        (50, 2, True),  # 2.0
        (50, 3, False),
        (200, 1, True),  # 1.0
        (200, 2, False),
    ],
)
def test_the_noise_of_a_latency_shrinks_with_the_number_of_packets(packets, later, settled):
    before = [10, 20] * (packets // 2)
    assert is_settled(period(before), period([each + later for each in before]), STRICT) is settled


@pytest.mark.parametrize(("tolerance", "settled"), [(0.05, True), (0.04, False)])
def test_a_latency_may_change_by_a_share_of_the_later_one(tolerance, settled):
    params = MeasureParams(latency_tolerance=tolerance, throughput_tolerance=1e-9)
    assert is_settled(period([95] * 9), period([100] * 9), params) is settled


@pytest.mark.parametrize(
    ("before", "after", "size", "settled"),
    [
        # Two standard errors of the difference of the flits: 2·√(size²·(before + after)).
        (8, 18, 4, True),  # 40 flits more, noise 40.8
        (8, 19, 4, False),  # 44 flits more, noise 41.6
        (80, 104, 1, True),  # 24 more, noise 27.1
        (80, 110, 1, False),  # 30 more, noise 27.6
    ],
)
def test_a_throughput_may_change_by_its_noise(before, after, size, settled):
    assert is_settled(period([9] * before, size), period([9] * after, size), STRICT) is settled


@pytest.mark.parametrize(("tolerance", "settled"), [(0.1, True), (0.09, False)])
def test_a_throughput_may_change_by_a_share_of_the_later_one(tolerance, settled):
    params = MeasureParams(latency_tolerance=1e-9, throughput_tolerance=tolerance)
    assert is_settled(period([9] * 9000), period([9] * 10_000), params) is settled


@pytest.mark.parametrize(("before", "after", "settled"), [([], [], True), ([5], [], False), ([], [5], False)])
def test_where_no_packet_left(before, after, settled):
    assert is_settled(period(before), period(after), STRICT) is settled
