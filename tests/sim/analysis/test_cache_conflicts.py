"""Conflicts in the route cache: closed form, the CRC, and the golden model's cache agree."""

from collections import OrderedDict

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import CacheParams
from models.route.crc_hash import crc_by_division
from sim.analysis.cache_conflicts import (
    POLYNOMIALS,
    crc_indices,
    evictions,
    expected_evictions,
    expected_misses,
    random_tags,
    stream,
)


def test_the_papers_two_points():
    assert round(100 * expected_evictions(2048, 4, 512) / 2048, 3) == 0.107
    assert round(100 * expected_evictions(2048, 16, 1024) / 2048, 3) == 0.038


def test_closed_form_of_small_cases():
    """Two balls in two bins of one place: one is thrown out with probability 1/2; compared with all assignments."""
    assert expected_evictions(2, 1, 2) == pytest.approx(0.5)
    assert expected_evictions(8, 8, 11) == 3
    bins = np.array(np.meshgrid(*[range(4)] * 6)).reshape(6, -1)
    over = sum(np.maximum((bins == k).sum(axis=0) - 2, 0) for k in range(4))
    assert expected_evictions(8, 2, 6) == pytest.approx(over.mean())


@pytest.mark.parametrize("polynomial", POLYNOMIALS.values(), ids=POLYNOMIALS)
def test_crc_of_arrays(polynomial):
    tags = random_tags(20, 1, 40)
    assert crc_indices(tags, polynomial).tolist() == [crc_by_division(int(tag), 64, polynomial) for tag in tags]


def test_random_tags_follow_the_closed_form():
    counts = [evictions(random_tags(512, seed), 2048, 2, POLYNOMIALS["CRC-32"]) for seed in range(200)]
    error = np.std(counts) / np.sqrt(len(counts))
    assert abs(np.mean(counts) - expected_evictions(2048, 2, 512)) < 4 * error


@pytest.mark.parametrize("polynomial", POLYNOMIALS.values(), ids=POLYNOMIALS)
def test_numbered_nodes_do_not_conflict(polynomial):
    for ways in (1, 2, 4):
        assert evictions(np.arange(2048), 2048, ways, polynomial) == 0


@pytest.mark.parametrize("policy", ["lru", "fifo"])
def test_a_stream_is_what_a_dictionary_does(policy):
    """A cache of one set, in plain Python."""
    tags = np.random.default_rng(3).integers(0, 12, 400)
    told = stream(tags, CacheParams(entries=8, ways=8, policy=policy))
    kept: OrderedDict[int, None] = OrderedDict()
    hits, evicted = [], 0
    for tag in tags.tolist():
        hits.append(tag in kept)
        if tag in kept:
            if policy == "lru":
                kept.move_to_end(tag)
            continue
        if len(kept) == 8:
            kept.popitem(last=False)
            evicted += 1
        kept[tag] = None
    assert told.hits.tolist() == hits
    assert told.evictions == evicted


def test_entered_once_the_stream_evicts_what_the_crc_says():
    tags = random_tags(300, 5)
    cache = CacheParams(entries=256, ways=2)
    assert stream(tags, cache).evictions == evictions(tags, 256, 2, cache.crc_polynomial)


def test_misses_in_the_steady_state():
    form = expected_misses(128, 2, 128)
    measured = []
    for seed in range(12):
        tags = random_tags(128, seed)
        both = np.concatenate([tags, np.random.default_rng(seed).choice(tags, 20 * 128)])
        measured.append(1 - stream(both, CacheParams(entries=128, ways=2)).hits[2 * 128 :].mean())
    assert abs(np.mean(measured) - form) < 4 * np.std(measured) / np.sqrt(len(measured))


def test_refusals():
    with pytest.raises(TsujiError, match="sets must be a power of two"):
        expected_evictions(96, 4, 10)
    with pytest.raises(TsujiError, match="ports"):
        stream(np.arange(3), CacheParams(), np.array([0, 1, 2]))
