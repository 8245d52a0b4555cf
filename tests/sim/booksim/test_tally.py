"""Statistics kept of packets that are gone, against the same computed by numpy."""

from dataclasses import fields, replace

import numpy as np
import pytest

from sim.booksim.tally import ByNode, Spread, Times
from sim.packets import Delivered

NODES = 5


def delivered(count, rng):
    columns = {field.name: np.zeros(count, np.int64) for field in fields(Delivered)}
    birth = np.sort(rng.integers(0, 100, count))
    enter = birth + rng.integers(1, 20, count)
    return replace(
        Delivered(**columns),
        source=rng.integers(0, NODES, count),
        destination=rng.integers(0, NODES, count),
        size=rng.integers(1, 9, count),
        birth=birth,
        enter=enter,
        eject=enter + rng.integers(1, 50, count),
        hops=rng.integers(1, 7, count),
    )


@pytest.mark.parametrize("window", [(), (30, 60), (0, 1), (200, 300)], ids=str)
def test_times_are_those_of_the_packets_that_count(window):
    """Packets born in the window, or born before and sent in it or later; in several parts as in one."""
    rng = np.random.default_rng(3)
    packets = delivered(400, rng)
    times = Times()
    for part in (packets[:150], packets[150:150], packets[150:]):
        times.add(part, 2, *window)
    begin, end = window or (-1, 1000)
    counted = packets[((packets.birth >= begin) | (packets.enter - 1 >= begin)) & (packets.birth < end)]
    expected = (
        (times.latencies, counted.eject - counted.birth + 2),
        (times.in_network, counted.eject - counted.enter + 3),
        (times.hops, counted.hops),
    )
    for values, these in expected:
        assert (values.count, values.total) == (len(these), these.sum())
        assert values.spread == (Spread.of(these) if len(these) else Spread(None))
        assert values.mean == (these.mean() if len(these) else 0)


@pytest.mark.parametrize("window", [(), (30, 60)], ids=str)
def test_nodes_get_the_packets_whose_head_was_sent_in_the_window(window):
    packets = delivered(400, np.random.default_rng(4))
    by_node = ByNode(NODES)
    by_node.add(packets.source[:100], packets[:100], *window)
    by_node.add(packets.source[100:], packets[100:], *window)
    begin, end = window or (-1, 1000)
    counted = packets[(packets.enter - 1 >= begin) & (packets.enter - 1 < end)]
    assert 0 < len(counted) <= 400
    assert by_node.packets.tolist() == np.bincount(counted.source, minlength=NODES).tolist()
    assert by_node.flits.tolist() == np.bincount(counted.source, counted.size, NODES).tolist()
    assert by_node.packet_size.average == counted.size.mean()
