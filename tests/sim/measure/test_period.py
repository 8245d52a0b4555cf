"""Packets that a measurement counts, and their order."""

from dataclasses import fields

import numpy as np
import pytest

from sim.measure.period import Period, born_in, latencies_of_born_in, left_of
from sim.packets import Delivered


def periods(rng, packets=200, nodes=4):
    birth = rng.integers(0, 60, packets)
    origin = np.where(rng.random(packets) < 0.3, birth - rng.integers(0, 20, packets), birth)
    columns = {field.name: rng.integers(0, 1000, packets) for field in fields(Delivered)}
    columns |= {"source": rng.integers(0, nodes, packets), "birth": birth, "origin": origin}
    columns["eject"] = np.sort(birth + rng.integers(1, 9, packets))
    all_of_them = Delivered(**columns)
    parts = [all_of_them[:70], all_of_them[70:70], all_of_them[70:]]
    return all_of_them, [Period(part, np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), 0, 0) for part in parts]


@pytest.mark.parametrize("window", [(20, 40), (0, 100), (200, 300)], ids=str)
def test_packets_are_those_born_in_the_window_or_answers_to_them(window):
    gone, parts = periods(np.random.default_rng(5))
    counted = [k for k in range(len(gone)) if window[0] <= gone.origin[k] < window[1]]
    assert sum(left_of(part, *window) for part in parts) == len(counted)
    ordered = sorted(counted, key=lambda k: (gone.birth[k], gone.source[k], gone.eject[k], gone.enter[k]))
    found = born_in(parts, *window)
    for field in fields(Delivered):
        assert getattr(found, field.name).tolist() == getattr(gone, field.name)[ordered].tolist(), field.name
    latencies = [gone.eject[k] - gone.birth[k] for k in sorted(counted, key=lambda k: gone.birth[k])]
    assert latencies_of_born_in(parts, *window).tolist() == latencies


def test_the_order_does_not_depend_on_that_of_packets_that_left_in_one_cycle():
    """Threads return them in another order than one thread."""
    rng = np.random.default_rng(6)
    gone, _ = periods(rng, packets=2000)
    none = np.zeros(4, np.int64)
    mixed = gone[np.lexsort((rng.random(len(gone)), gone.eject))]
    one, other = (born_in([Period(each, none, none, 0, 0)], 0, 100) for each in (gone, mixed))
    same = (np.diff(one.birth) == 0) & (np.diff(one.source) == 0) & (np.diff(one.eject) == 0)
    assert same.sum() > 5
    assert one.enter.tolist() == other.enter.tolist()
    assert one.origin.tolist() == other.origin.tolist()
