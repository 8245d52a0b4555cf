import numpy as np
import pytest

from sim.config import load_network
from sim.plot.places_3d import CLEAR, MIDDLE, PIECES, link_segments, places_3d

KINDS = [
    "fat_tree",
    "dragonfly",
    "slim_fly",
    "hypercube",
    "hyperx",
    "hyper_crossbar",
    "random_regular",
    "mesh",
    "torus",
]


def built(*settings):
    return load_network(None, settings).topologies()[0]


def drawn(topology):
    place = places_3d(topology)
    switch, _, peer, _ = topology.links.T
    return place, link_segments(topology, place, switch, peer)


def test_a_torus_lies_by_its_coordinates():
    torus = built("topology.radix=[4, 3, 5]")
    assert (places_3d(torus) == torus.coordinates).all()


def test_later_dimensions_repeat_what_is_there_without_touching():
    place = places_3d(built("topology.radix=[3, 3, 2, 2, 2]"))
    assert len(np.unique(place, axis=0)) == 72
    assert np.ptp(place, axis=0).tolist() == pytest.approx([2 + 2 + 1.5, 2 + 2 + 1.5, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_switches_are_one_apart_and_every_link_is_drawn(kind):
    topology = built(f"topology.kind={kind}")
    place, segments = drawn(topology)
    distance = np.linalg.norm(place[:, None] - place[None], axis=2)
    assert distance[~np.eye(len(place), dtype=bool)].min() == pytest.approx(1)
    assert np.unique(segments.link).tolist() == list(range(len(topology.links)))
    lengths = np.linalg.norm(np.diff(segments.ends, axis=1), axis=2)
    assert (lengths > 0).all()


def test_planes_lie_behind_each_other():
    cube = built("topology.kind=hypercube", "topology.dimensions=3")
    place = places_3d(cube, planes=2)
    assert place.shape == (16, 3)
    assert len(np.unique(place, axis=0)) == 16


def test_halves_meet_in_the_middle_and_links_round_the_edge_point_outwards():
    torus = built("topology.radix=[4, 4, 4]")
    place, (ends, link) = drawn(torus)
    assert link.tolist() == list(range(384))
    direction = np.where(torus.links[:, 1] % 2, -1, 1)
    axis = np.eye(3)[torus.links[:, 1] // 2] * direction[:, None]
    start = place[torus.links[:, 0]]
    assert ends[:, 0] == pytest.approx(start + CLEAR * axis)
    assert ends[:, 1] == pytest.approx(start + MIDDLE * axis)


def test_links_past_another_switch_and_twins_are_bent():
    hyperx = built("topology.kind=hyperx", "topology.radix=[4, 4]")
    place, (ends, link) = drawn(hyperx)
    far = np.abs(np.diff(place[hyperx.links[:, [0, 2]]], axis=1)).sum(axis=(1, 2)) > 1
    assert np.bincount(link).tolist() == np.where(far, PIECES, 1).tolist()
    ring = built("topology.radix=[2, 2]")
    _, (ends, link) = drawn(ring)
    assert len(np.unique(ends.round(6).reshape(len(ends), -1), axis=0)) == len(ends)
    assert sorted(np.bincount(link).tolist()) == [1] * 8 + [PIECES] * 8
