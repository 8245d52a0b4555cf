"""Packets in and out of the engine's pool, and prefetching."""

from dataclasses import fields

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.engine.packet_pool import put_packets, take_packets
from sim.engine.prefetch import AHEAD
from sim.engine.state import PACKET
from sim.packets import Delivered
from sim.simulation import build
from sim.traffic.stream import Stream

TORUS = ('switch.routing="dimension_order"', 'topology.kind="torus"', "topology.radix=[4,4]")


@pytest.mark.parametrize("plain", [True, False])
def test_columns_are_those_of_delivered(plain: bool) -> None:
    """Packets come out of the pool with the data that was put in."""
    pool = np.zeros(8, PACKET).view(np.recarray)
    places = np.array([5, 2])
    given = {
        name: np.array([10 * k, 10 * k + 1]) + 20 for k, name in enumerate(("birth", "source", "destination", "size"))
    }
    put_packets(pool, places, *given.values(), np.array([7, 8]))
    pool.enter, pool.eject, pool.hops, pool.flight, pool.lag = 300, 400, 6, 77, 1000
    assert (pool.tag[places] == (7, 8)).all()
    columns = np.empty((len(fields(Delivered)), 2), np.int64)
    take_packets(pool[places].view(np.recarray), 2, 3, plain, 6, 3, columns)
    found = Delivered(*columns)
    for name, values in given.items():
        assert (getattr(found, name) == values).all(), name
    assert found.message_class.tolist() == [0, 1]  # of tags 7 and 8: paths 1 and 2 of 6, two of each class
    assert (found.origin == given["birth"]).all()
    assert {*found.enter} == {300}
    assert {*found.eject} == {400}
    assert {*found.hops} == {6}
    assert {*found.flight} == {5 * 3 if plain else 77}
    assert (found.lag == ((given["size"] - 1) * 2 if plain else 1000)).all()


def test_fetching_ahead_changes_nothing() -> None:
    """A small network does without prefetching; if it is told to be large, results are the same."""
    gone = []
    for far in (False, True):
        config = load(None, TORUS)
        network = build(config)
        assert not network._engine.k.exceeds_cache
        network._engine = network._engine._replace(k=network._engine.k._replace(exceeds_cache=far))
        network.offer(Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.4, 3).until(2000))
        gone.append(network.advance(3000))
    assert len(gone[0]) > 1000
    for field in fields(Delivered):
        assert np.array_equal(*(getattr(each, field.name) for each in gone)), field.name


def test_more_on_links_than_there_are_places_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The capacity for flits on links is limited."""
    monkeypatch.setattr("sim.engine.allocate.MOST_EVENTS", 1 << 12)
    with pytest.raises(TsujiError, match=r"on their way for 100 cycles, .* at most 5 cycles, or fewer switches"):
        build(load(None, (*TORUS, "link.latency=100")))
    with pytest.raises(TsujiError, match="at most 5 cycles"):
        build(load(None, (*TORUS, "link.latency=6")))
    build(load(None, (*TORUS, "link.latency=5")))


def test_places_for_credits_are_two_per_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 16 switches with 5 ports, and spare ones, in each of two lists for 8 cycles, more than the latency."""
    places = 2 * 8 * (2 * 16 * 5 + AHEAD)
    monkeypatch.setattr("sim.engine.allocate.MOST_EVENTS", places + 1)
    build(load(None, (*TORUS, "link.latency=5")))
    monkeypatch.setattr("sim.engine.allocate.MOST_EVENTS", places)
    with pytest.raises(TsujiError, match="on their way for 5 cycles"):
        build(load(None, (*TORUS, "link.latency=5")))


@pytest.mark.parametrize("loop", [(), ("traffic.reply_size=2",), ("traffic.reply_size=1", "traffic.window=3")], ids=str)
def test_places_are_given_back(loop: tuple[str, ...]) -> None:
    """The pool has room for packets under way and packets offered at a time, however many pass through it."""
    config = load(None, (*TORUS, *loop))
    network = build(config)
    stream = Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.2, 3)
    gone, pool = 0, []
    for end in range(500, 10001, 500):
        network.offer(stream.until(end))
        gone += len(network.advance(500))
        pool.append(len(network._engine.packets))
    assert pool[-1] == pool[0]
    assert gone + network.in_flight > 2 * pool[-1]
    network.advance(2000)
    assert network.in_flight == 0
    assert sorted(network._free[: network._unused]) == list(range(pool[-1]))
