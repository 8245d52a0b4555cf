"""Figures of message classes: of the packets of each, and on VCs of its own not slowed down by another class."""

import numpy as np
import pytest

from sim.config import load
from sim.measure.result import Result
from sim.simulation import build, simulate

MESH = ["topology.kind=mesh", "topology.radix=[3,3]", "switch.vcs=4", "switch.routing=linear", "measure.period=500"]
OWN = 'traffic.classes=[{name="short",packet_size=1,vcs=[0,0]},{name="long",share=9,packet_size=9,vcs=[1,3]}]'


def result(*settings):
    return simulate(load(None, [*MESH, *settings]))


def test_figures_of_classes_add_up_to_those_of_all_packets():
    found = result(OWN, "traffic.load=0.3").figures
    short, long = found.classes["short"], found.classes["long"]
    assert short.packets + long.packets + found.unfinished == found.packets
    assert short.offered_traffic + long.offered_traffic == pytest.approx(found.offered_traffic)
    assert short.accepted_traffic + long.accepted_traffic == pytest.approx(found.accepted_traffic)
    assert long.offered_traffic == pytest.approx(9 * short.offered_traffic, rel=0.15)
    means = np.average([short.packet_latency.mean, long.packet_latency.mean], weights=[short.packets, long.packets])
    assert means == pytest.approx(found.packet_latency.mean)
    assert long.packet_latency.mean > short.packet_latency.mean + 7
    assert short.network_latency.mean < short.packet_latency.mean


def test_packets_take_the_vcs_of_their_class():
    """Between switches, and to nodes: a class alone sends on its VCs and no others."""
    for vcs in ([0, 0], [2, 3]):
        config = load(None, [*MESH, f"traffic.classes=[{{vcs={vcs}}}]", "traffic.load=0.4"])
        network = build(config)
        network.offer(config.packets(network.topology, 0.4, 1).until(400))
        network.advance(3000)
        used = np.flatnonzero(network.flits_sent().sum(axis=(0, 1)))
        assert used.tolist() == list(range(vcs[0], vcs[1] + 1))


def test_each_class_draws_among_paths_of_its_own():
    """With several addresses per node and class, a class has its own of them, and so its own VCs."""
    several = ["topology.radix=[4,4]", "switch.vcs=10", "switch.routing=linear", "routing.base=dimension_order"]
    config = load(
        None, [*several, "routing.kind=valiant", "routing.paths=2", "traffic.classes=[{vcs=[0,3]},{vcs=[4,9]}]"]
    )
    for number, (first, last) in enumerate([(0, 3), (4, 9)]):
        network = build(config)
        packets = config.packets(network.topology, 0.4, 1).until(400)
        network.offer(packets[packets.message_class == number])
        delivered = network.advance(4000)
        assert len(delivered) == (packets.message_class == number).sum() > 100
        assert {*delivered.message_class} == {number}
        used = np.flatnonzero(network.flits_sent().sum(axis=(0, 1)))
        assert set(used) <= set(range(first, last + 1))


def test_classes_are_kept_in_files():
    found = result(OWN, "traffic.load=0.1")
    again = Result.from_document(found.document())
    assert again.figures.classes == found.figures.classes
    frame = found.frame()
    assert frame["classes.long.packet_latency.mean"][0] == found.figures.classes["long"].packet_latency.mean
    assert "2 message classes" in repr(found)
    assert "latency of long" in found._repr_html_()


def test_without_classes_there_are_none():
    found = result("traffic.load=0.1")
    assert found.figures.classes == {}
    assert not [name for name in found.frame() if name.startswith("classes")]
