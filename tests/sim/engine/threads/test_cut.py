"""Parts of a network: equal work, few links between them, and windows as long as the links allow."""

from dataclasses import replace

import numpy as np
import pytest

from models.params import CacheParams, CamParams, LinkParams, SwitchParams
from models.params.parts import PredictionParams
from sim.engine.threads.cut import MOST_WINDOW, cut_network, units_of
from sim.topology.hypercube import hypercube
from sim.topology.link_times import LinkTimes
from sim.topology.random_regular import random_regular
from sim.topology.torus import grid
from sim.traffic.closed_loop import OPEN_LOOP, ClosedLoop

NETWORKS = [grid((16, 8), wrap=True), grid((7, 5), wrap=False), hypercube(6), random_regular(40, 4, 1)]


def cut(topology, count, batched=False, loop=OPEN_LOOP, switch=None, **link):
    params = switch or SwitchParams(ports=topology.ports)
    return cut_network(params, topology, LinkTimes.of(params, LinkParams(**link), topology), loop, count, batched)


@pytest.mark.parametrize("topology", NETWORKS, ids=lambda topology: topology.name)
@pytest.mark.parametrize("count", [2, 3, 4])
def test_parts_have_equal_work(topology, count):
    found = cut(topology, count)
    sizes = np.bincount(found.owner, minlength=count)
    assert sizes.min() > 0
    assert sizes.max() - sizes.min() <= 2 + 0.1 * topology.switches / count


@pytest.mark.parametrize("topology", NETWORKS, ids=lambda topology: topology.name)
def test_links_between_parts_are_counted(topology):
    found = cut(topology, 3)
    wired = topology.peer_switch >= 0
    crossing = (found.owner[:, None] != found.owner[topology.peer_switch]) & wired
    assert found.links.sum() == crossing.sum()
    assert not found.links.diagonal().any()


def test_few_links_are_cut():
    """Of a torus two rings across; of a hypercube one dimension."""
    assert cut(grid((8, 16), wrap=True), 2).links.sum() == 4 * 8
    assert cut(hypercube(6), 2).links.sum() == 64


def test_a_ring_numbered_at_random_is_cut_in_two_places():
    """The order by number would cut every other link."""
    ring = grid((64,), wrap=True)
    numbers = np.random.default_rng(1).permutation(64)
    peers = np.full_like(ring.peer_switch, -1)
    wired = ring.peer_switch >= 0
    peers[numbers] = np.where(wired, numbers[ring.peer_switch], -1)
    ports = np.full_like(ring.peer_port, -1)
    ports[numbers] = ring.peer_port
    mixed = replace(ring, peer_switch=peers, peer_port=ports, node_switch=numbers[ring.node_switch])
    assert cut(mixed, 2).links.sum() <= 6


def test_windows_follow_from_latency():
    torus = grid((8, 8), wrap=True)
    assert cut(torus, 2, latency=1).window == 2
    assert cut(torus, 2, latency=19).window == 20
    assert cut(torus, 2, latency=500).window == MOST_WINDOW
    assert cut(torus, 2, latency=19, loop=ClosedLoop(window=4)).window == 1
    assert cut(torus, 2, latency=19, credit_latency=3).window == 4
    assert cut(torus, 2, latency=19, credit_latency=30).window == 20
    predicting = SwitchParams(ports=torus.ports, cache=CacheParams(), cam=CamParams(), prediction=PredictionParams())
    assert cut(torus, 2, latency=19, switch=predicting).window == 19
    assert cut(torus, 2, latency=19, node_latency=3, loop=ClosedLoop(window=4)).window == 7


def test_no_batch_is_divided():
    found = cut(grid((16, 16), wrap=True), 3, batched=True)
    unit = units_of(256, True)
    assert all(len(set(found.owner[unit == each])) == 1 for each in range(4))


def test_one_part_is_no_cut():
    assert cut(NETWORKS[0], 1) is None
