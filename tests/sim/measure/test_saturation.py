"""Saturation at its borders: of a period, of the drain, and of a load in a search."""

from types import SimpleNamespace

import pytest

from sim.config.measure import MeasureParams
from sim.measure.saturation import backlog_grows, is_drain_saturated, is_load_carried, is_saturated

PARAMS = MeasureParams(growth=0.125, growth_periods=3, latency_factor=4.0)


@pytest.mark.parametrize(
    ("before", "after", "grows"),
    [
        (10, 60, False),  # 50 of 400 stayed behind: an eighth, and no more
        (10, 61, True),
        (60, 10, False),
    ],
)
def test_a_backlog_grows_by_more_than_a_share_of_what_was_offered(before, after, grows):
    assert backlog_grows(before, after, 400, PARAMS) is grows


@pytest.mark.parametrize(
    ("latency", "growing", "saturated"),
    [
        (100.0, 0, False),  # four times 25, and no more
        (100.5, 0, True),
        (50.0, 2, False),
        (50.0, 3, True),  # three periods in a row
        (100.5, 3, True),
    ],
)
def test_a_period_is_saturated_by_its_latency_or_by_a_backlog_that_keeps_growing(latency, growing, saturated):
    assert is_saturated(latency, 25.0, growing, PARAMS) is saturated


@pytest.mark.parametrize(("growing", "saturated"), [(2, False), (3, True)])
def test_where_no_packet_left_the_backlog_tells(growing, saturated):
    assert is_saturated(0.0, 0.0, growing, PARAMS) is saturated


@pytest.mark.parametrize(("left", "saturated"), [(7, False), (6, True), (0, True)])
def test_a_drain_is_saturated_if_one_packet_stays(left, saturated):
    assert is_drain_saturated(7, left) is saturated


@pytest.mark.parametrize(
    ("accepted", "saturated", "carried"),
    [
        (0.375, False, True),  # a quarter of 0.5 is missing, as much as may be
        (0.37, False, False),
        (0.5, False, True),
        (0.5, True, False),
    ],
)
def test_a_load_is_carried_if_nearly_all_of_it_is_accepted(accepted, saturated, carried):
    figures = SimpleNamespace(saturated=saturated, accepted_traffic=accepted, offered_traffic=0.5)
    assert is_load_carried(figures, 0.25) is carried
