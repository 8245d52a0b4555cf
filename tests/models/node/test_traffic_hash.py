"""The hash against SIMON48 as published and against its definition in bits; its quality as a source of random numbers.

Bounds of the statistics are exceeded with a probability of less than `RISK` if the words are random, whatever the seed:
by Hoeffding's inequality for means, and by Laurent and Massart (2000), lemma 1, for chi squares.
"""

from math import log, sqrt
from typing import Any

import numpy as np
import pytest

from models.jit.compiled import compiled
from models.node.traffic_hash import (
    MASK,
    ROUNDS,
    WORD_BITS,
    draw_destination,
    draws_packet,
    packet_threshold,
    simon_round,
    traffic_hash,
)

RISK = 1e-9
SEEDS = (1, 2, 0x12345678, (1 << 32) - 1)
CYCLES = np.arange(1 << 16)
ROUND: Any = getattr(simon_round, "py_func", simon_round)  # as it is written, for arrays


@compiled
def _fill(seed: int, node: int, cycles: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
    for k in range(len(cycles)):
        first[k], second[k] = traffic_hash(seed, node, cycles[k])


def _words(seed: int, node: int, cycles: np.ndarray) -> np.ndarray:
    """Return the two words of each cycle, int64 [2, cycles]."""
    words = np.empty((2, len(cycles)), np.int64)
    _fill(seed, node, cycles, words[0], words[1])
    return words


def _chi_square_bound(freedom: int) -> float:
    """Return what a chi square of these degrees of freedom exceeds with a probability of at most RISK."""
    t = -log(RISK)
    return freedom + 2 * sqrt(freedom * t) + 2 * t


def _chi_square(counts: Any, expected: Any) -> float:
    return float(((counts - expected) ** 2 / expected).sum())


def test_the_round_is_that_of_simon48():
    """Test vector of SIMON48/72 (Beaulieu et al., 2013, appendix B), with its key schedule."""
    z = "11111010001001010110000111001101111101000100101011000011100110"
    keys = [0x020100, 0x0A0908, 0x121110]

    def right(word: int, by: int) -> int:
        return (word >> by | word << (WORD_BITS - by)) & MASK

    for k in range(3, 36):
        word = right(keys[k - 1], 3)
        keys.append(~keys[k - 3] & MASK ^ word ^ right(word, 1) ^ int(z[(k - 3) % 62]) ^ 3)
    x, y = 0x612067, 0x6E696C
    for key in keys:
        x, y = simon_round(x, y, key)
    assert (x, y) == (0xDAE5AC, 0x292CAC)


def _bits(value: int, count: int) -> list[int]:
    return [value >> k & 1 for k in range(count)]


def _number(bits: list[int]) -> int:
    return sum(bit << k for k, bit in enumerate(bits))


@pytest.mark.parametrize(
    ("seed", "node", "cycle"),
    [(0, 0, 0), (1, 0, 0), (0x80000001, 5, 77), ((1 << 32) - 1, 65535, (1 << 32) - 1), (77, 300, (1 << 24) + 9)],
)
def test_the_words_are_as_defined(seed, node, cycle):
    """The definition (board_nodes.md), bit by bit."""
    key = _bits(seed, 32)
    low, high = key[:24], key[8:]
    block = [a ^ b for a, b in zip(_bits(cycle, 32) + _bits(node, 16), high + low, strict=True)]
    y, x = block[:24], block[24:]
    for r in range(14):
        constant = _bits((r + 1) * 0x9E3779 % 2**24, 24)
        add = {7: low, 8: high}.get(r, [0] * 24)
        new = [y[k] ^ x[k - 1] & x[k - 8] ^ x[k - 2] ^ constant[k] ^ add[k] for k in range(24)]
        x, y = new, x
    assert traffic_hash(seed, node, cycle) == (_number(x), _number(y))


def test_a_draw_repeats_after_2_to_the_32_cycles():
    assert traffic_hash(3, 4, 5) == traffic_hash(3, 4, 5 + (1 << 32))
    assert len({traffic_hash(seed, node, 5) for seed in range(8) for node in range(8)}) == 64


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rate", [0.0, 1e-3, 0.025, 0.2, 0.5, 0.9, 1.0])
def test_packets_are_as_frequent_as_the_rate(seed, rate):
    """A count of independent trials stays within z standard deviations and z²/3 more (Bernstein's inequality)."""
    threshold = packet_threshold(rate)
    z = sqrt(-2 * log(RISK / 2))
    for node in range(4):
        first, _ = _words(seed, node, CYCLES)
        count = int((first < threshold).sum())
        spread = z * sqrt(len(CYCLES) * rate * (1 - rate)) + (z * z / 3 if 0 < rate < 1 else 0)
        assert abs(count - rate * len(CYCLES)) <= spread


def test_thresholds_are_the_nearest():
    assert [packet_threshold(rate) for rate in (0, 0.5, 1, 2.4 / (1 << 24))] == [0, 1 << 23, 1 << 24, 2]
    assert (draws_packet(0, 1), draws_packet(1, 1), draws_packet(MASK, 1 << 24)) == (True, False, True)


@pytest.mark.parametrize("nodes", [2, 3, 6, 16, 25, 100])
def test_each_other_node_is_drawn_as_often_as_its_share_of_the_16_bits(nodes):
    choose: Any = getattr(draw_destination, "py_func", draw_destination)
    shares = np.zeros(nodes - 1, np.int64)
    np.add.at(shares, (np.arange(1 << 16) * (nodes - 1)) >> 16, 1)
    assert shares.max() - shares.min() <= 1
    for node in {0, nodes // 2, nodes - 1}:
        _, second = _words(1, node, CYCLES)
        drawn = [choose(int(word), node, nodes) for word in second]
        counts = np.bincount(drawn, minlength=nodes)
        assert len(counts) == nodes
        assert counts[node] == 0
        assert _chi_square(np.delete(counts, node), shares * len(CYCLES) / (1 << 16)) < _chi_square_bound(nodes - 2)


def _pairs(one: Any, other: Any) -> float:
    """Return the chi square of the pairs of the highest four bits of two words, 255 degrees of freedom."""
    counts = np.bincount((one >> 20) * 16 + (other >> 20), minlength=256)
    return _chi_square(counts, len(one) / 256)


@pytest.mark.parametrize("seed", SEEDS)
def test_words_of_neighbours_are_independent(seed):
    """Neighbours in node, cycle or seed, and the two words of one draw: all pairs of values are as frequent."""
    bound = _chi_square_bound(255)
    for node in (0, 1, 7):
        first, second = _words(seed, node, CYCLES)
        assert _pairs(first, second) < bound
        for gap in (1, 2, 16, 256):
            assert _pairs(first[:-gap], first[gap:]) < bound
            assert _pairs(second[:-gap], second[gap:]) < bound
        for other in (node ^ 1, node ^ 2, node ^ 8, node + 16):
            near, near_second = _words(seed, other, CYCLES)
            assert _pairs(first, near) < bound
            assert _pairs(second, near_second) < bound
        near, near_second = _words(seed ^ 1, node, CYCLES)
        assert _pairs(first, near) < bound
        assert _pairs(second, near_second) < bound


def test_births_in_a_cycle_are_as_many_as_of_independent_nodes():
    """Of 16 nodes: the number of packets in a cycle is binomial; numbers that are rare count as one."""
    rate, nodes = 0.25, 16
    births = sum((_words(9, node, CYCLES)[0] < packet_threshold(rate)).astype(np.int64) for node in range(nodes))
    ways = np.ones(nodes + 1)
    for k in range(1, nodes + 1):
        ways[k] = ways[k - 1] * (nodes - k + 1) / k
    chances = ways * rate ** np.arange(nodes + 1) * (1 - rate) ** (nodes - np.arange(nodes + 1))
    counts = np.bincount(births, minlength=nodes + 1).astype(float)
    most = 9  # packets in a cycle, and more: at least 100 cycles expected
    grouped = [np.append(each[:most], each[most:].sum()) for each in (counts, chances * len(CYCLES))]
    assert grouped[1].min() > 100
    assert _chi_square(*grouped) < _chi_square_bound(most)


@pytest.mark.parametrize("word", [0, 1])
def test_each_bit_of_the_input_changes_each_bit_of_the_words_half_of_the_time(word):
    """Hoeffding: a share of n trials is off by more than d with a probability of at most 2 exp(−2 n d²)."""
    count = 1 << 14
    base = CYCLES[:count]
    flips = [(1 << bit, 0, 0) for bit in range(32)] + [(0, 1 << bit, 0) for bit in range(16)]
    flips += [(0, 0, 1 << bit) for bit in range(32)]
    most = sqrt(-log(RISK / 2 / len(flips) / WORD_BITS) / 2 / count)
    before = _words(0x1234567, 3, base)[word]
    for seed, node, cycle in flips:
        changed = before ^ _words(0x1234567 ^ seed, 3 ^ node, base ^ cycle)[word]
        shares = [float((changed >> bit & 1).mean()) for bit in range(WORD_BITS)]
        assert max(abs(share - 0.5) for share in shares) < most, (seed, node, cycle)


def test_fewer_rounds_would_be_found_out():
    """After half of the rounds neighbours in time are alike, so the tests above can fail."""

    def after(rounds: int) -> Any:
        x, y = CYCLES >> WORD_BITS & 255, CYCLES & MASK
        for r in range(rounds):
            x, y = ROUND(x, y, (r + 1) * 0x9E3779 & MASK)
        return x

    bound = _chi_square_bound(255)
    half, all_ = after(ROUNDS // 2), after(ROUNDS)
    assert _pairs(half[:-1], half[1:]) > 2 * bound
    assert _pairs(all_[:-1], all_[1:]) < bound
