"""Packets of several classes as one stream."""

import numpy as np
import pytest

from sim.config import load
from sim.traffic.arrivals import Bernoulli
from sim.traffic.class_streams import ClassStreams
from sim.traffic.sizes import Sizes
from sim.traffic.traffic_class import TrafficClass
from sim.traffic.uniform import Uniform

TORUS = load(None, ["topology.radix=[4,4]"]).networks.topologies()[0]
CLASSES = [
    TrafficClass(Uniform(), Bernoulli(), Sizes(packet_size=1), 0.1),
    TrafficClass(Uniform(), Bernoulli(), Sizes(packet_size=5), 0.3),
]
COLUMNS = ("birth", "source", "destination", "size", "message_class")


def test_packets_are_in_order_and_have_the_load_and_size_of_their_class():
    packets = ClassStreams(TORUS, CLASSES, 1.0, 3).until(20_000)
    assert (np.diff(packets.birth) >= 0).all()
    for number, (size, rate) in enumerate([(1, 0.1), (5, 0.3)]):
        own = packets[packets.message_class == number]
        assert {*own.size} == {size}
        assert own.flits / 20_000 / TORUS.nodes == pytest.approx(rate, rel=0.05)


def test_packets_do_not_depend_on_how_much_is_read_at_a_time():
    whole, parts = (ClassStreams(TORUS, CLASSES, 0.5, 3) for _ in range(2))
    at_once = whole.until(3000)
    pieces = [parts.until(cycle) for cycle in (1, 700, 701, 3000)]
    for name in COLUMNS:
        assert np.array_equal(getattr(at_once, name), np.concatenate([getattr(each, name) for each in pieces]))


def test_a_class_does_not_depend_on_the_classes_behind_it():
    first, both = ClassStreams(TORUS, CLASSES[:1], 1.0, 3), ClassStreams(TORUS, CLASSES, 1.0, 3)
    alone, together = first.until(2000), both.until(2000)
    assert np.array_equal(alone.birth, together[together.message_class == 0].birth)
    assert CLASSES[1].limit() == pytest.approx(5 / 0.3)


def test_equal_classes_draw_different_packets():
    packets = ClassStreams(TORUS, [CLASSES[0]] * 2, 1.0, 3).until(2000)
    first, second = (packets[packets.message_class == number] for number in (0, 1))
    assert not np.array_equal(first.birth[:100], second.birth[:100])
    assert not np.array_equal(first.destination[:100], second.destination[:100])
