"""Route values and distances against a breadth-first search of the network, and against paper D."""

import random
from collections import Counter

import pytest
from pydantic import ValidationError

from models.jit.sets import popcount
from models.node.plane_selector import hashed_start, plane_tables, route_value, select_plane, start_after
from models.params.planes import PlaneParams


def _distances(generators: tuple[int, ...], bits: int) -> list[int]:
    """Return the number of links from node 0 to each node, by breadth-first search."""
    found = {0: 0}
    frontier = [0]
    while frontier:
        frontier = [node ^ generator for node in frontier for generator in generators]
        frontier = [node for node in dict.fromkeys(frontier) if node not in found]
        found |= dict.fromkeys(frontier, max(found.values()) + 1)
    return [found[node] for node in range(1 << bits)]


def _planes(bits: int, count: int) -> PlaneParams:
    """Return random planes, each folded or not."""
    draw = random.Random(f"{bits}/{count}")
    planes: list[tuple[int, ...]] = []
    while len(planes) < count:
        size = min(bits + draw.randrange(2), (1 << bits) - 1)
        plane = tuple(draw.sample(range(1, 1 << bits), size))
        try:
            PlaneParams(bits=bits, planes=(plane,))
        except ValidationError:
            continue
        planes.append(plane)
    return PlaneParams(bits=bits, planes=tuple(planes))


@pytest.mark.parametrize("bits", range(1, 7))
@pytest.mark.parametrize("count", [1, 2, 4])
def test_shortest_paths(bits: int, count: int) -> None:
    params = _planes(bits, count)
    tables = plane_tables(params)
    searched = [_distances(params.generators(plane), bits) for plane in range(count)]
    for difference in range(1 << bits):
        for plane in range(count):
            route = int(route_value(difference, plane, tables))
            assert popcount(route) == searched[plane][difference]
            at = 0
            for k, generator in enumerate(params.generators(plane)):
                at ^= generator if route >> k & 1 else 0
            assert at == difference
        shortest = [searched[plane][difference] for plane in range(count)]
        nearest = [plane for plane in range(count) if shortest[plane] == min(shortest)]
        for start in range(count):
            first = min(nearest, key=lambda plane: (plane - start) % count)
            assert select_plane(difference, start, tables) == (first, len(nearest) > 1)


def test_table_of_the_paper() -> None:
    """Paper D, table 1: distances in both planes and routing values in plane 1 of the dual-plane isomorphic 3-cube."""
    tables = plane_tables(PlaneParams(bits=3, planes=((), (3, 5, 7))))
    routes = [[int(route_value(difference, plane, tables)) for difference in range(8)] for plane in (0, 1)]
    assert routes[1] == [0, 7, 6, 1, 5, 2, 3, 4]
    assert [popcount(route) for route in routes[0]] == [0, 1, 1, 2, 1, 2, 2, 3]
    assert [popcount(route) for route in routes[1]] == [0, 3, 2, 1, 2, 1, 2, 1]


def test_folded_by_all_is_the_lighter_of_a_way_and_its_complement() -> None:
    tables = plane_tables(PlaneParams(bits=5, planes=((1, 2, 4, 8, 16, 31),)))
    for difference in range(32):
        complement = difference ^ 31 | 32
        expected = complement if complement.bit_count() < difference.bit_count() else difference
        assert route_value(difference, 0, tables) == expected


def test_alternating_visits_every_tied_plane() -> None:
    tables = plane_tables(PlaneParams(bits=4, planes=((),) * 3))
    start, taken = 0, []
    for _ in range(7):
        plane, tie = select_plane(5, start, tables)
        assert tie
        taken.append(plane)
        start = start_after(plane, tables)
    assert taken == [0, 1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize(("count", "bits"), [(2, 2), (2, 7), (4, 4), (4, 8)])
def test_hash_spreads_ties_evenly(count: int, bits: int) -> None:
    """For each difference over all sources, as in all-to-all traffic."""
    tables = plane_tables(PlaneParams(bits=bits, planes=((),) * count))
    for difference in range(1 << bits):
        starts = Counter(int(hashed_start(source, source ^ difference, tables)) for source in range(1 << bits))
        assert set(starts.values()) == {(1 << bits) // count}
