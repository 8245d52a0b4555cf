"""Compiled loops of the search for a second plane's basis (paper D): evaluate, anneal, enumerate.

Paths in both planes are route values: for difference d, that of plane 0 is d itself, and that of plane 1 the set of
basis vectors whose XOR is d. So one table of distances and one of the links taken serve both planes. The route values
of a basis are enumerated in Gray code: each step adds one vector, which costs one XOR.
"""

from __future__ import annotations

import numpy as np

from models.jit.bits import count_trailing_zeros
from models.jit.compiled import compiled

FIELD = 16  # bits of a counter; four counters per word
FIELDS = 4
WORDS = 4
HOPS, MOST, CABLES = range(3)  # places in `found`
UNIFORM = 1 << 32
MASK = UNIFORM - 1


@compiled
def draw(state: np.ndarray) -> int:
    """Return the next number below 2^32 of a xorshift generator (Marsaglia 2003, 13, 17, 5)."""
    x = int(state[0])
    x ^= (x << 13) & MASK
    x ^= x >> 17
    x ^= (x << 5) & MASK
    state[0] = x
    return x


@compiled
def _copy(target: np.ndarray, source: np.ndarray) -> None:
    for k in range(len(source)):
        target[k] = source[k]


@compiled
def _clear(values: np.ndarray) -> None:
    for k in range(len(values)):
        values[k] = 0


@compiled
def evaluate(basis: np.ndarray, distance: np.ndarray, taken: np.ndarray, length: np.ndarray, found: np.ndarray) -> None:
    """Write to `found` the figures of a second plane with this basis.

    Parameters
    ----------
    basis : numpy.ndarray
        int64 [n], a basis of GF(2)^n.
    distance : numpy.ndarray
        int64 [2^n]: hops of each route value, over the folded link if that is shorter.
    taken : numpy.ndarray
        int64 [2^n, 4]: links of each route value, one 16-bit counter per generator.
    length : numpy.ndarray
        int64 [2^n]: length of all cables of a generator, in any unit.
    found : numpy.ndarray
        float64: at HOPS the sum of the shorter paths over all differences; at MOST the greatest load of a link when
        each node sends two packets over each difference; at CABLES the length of the second plane's cables.
    """
    n = len(basis)
    hops = 0
    at = 0
    value = 0
    # No branches, because the nearer plane is unpredictable; and in registers.
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0
    for count in range(1, len(distance)):
        bit = count_trailing_zeros(count)
        value ^= 1 << bit
        at ^= basis[bit]
        first, second = distance[at], distance[value]
        hops += min(first, second)
        packets = 1 + (first < second) - (second < first)
        others = 2 - packets
        a0 += packets * taken[at, 0]
        a1 += packets * taken[at, 1]
        a2 += packets * taken[at, 2]
        a3 += packets * taken[at, 3]
        b0 += others * taken[value, 0]
        b1 += others * taken[value, 1]
        b2 += others * taken[value, 2]
        b3 += others * taken[value, 3]
    most = 0
    for field in range(FIELDS):
        for word in (a0, a1, a2, a3, b0, b1, b2, b3):
            most = max(most, word >> (FIELD * field) & ((1 << FIELD) - 1))
    cables = 0
    fold = 0
    for k in range(n):
        cables += length[basis[k]]
        fold ^= basis[k]
    if distance[len(distance) - 1] == 1 and n > 1:  # a folded cube: its last link is a generator, too
        cables += length[fold]
    found[HOPS] = hops
    found[MOST] = most
    found[CABLES] = cables


@compiled
def cost(found: np.ndarray, weights: np.ndarray) -> float:
    """Return the cost to minimise: latency × greatest load, latency = hops · (w0 + w1 · cables) + w2."""
    return float((found[HOPS] * (weights[0] + weights[1] * found[CABLES]) + weights[2]) * found[MOST])


@compiled
def independent(basis: np.ndarray, rows: np.ndarray) -> bool:
    """Return whether vectors are a basis; `rows` int64 [n] is scratch."""
    _clear(rows)
    n = len(basis)
    for k in range(n):
        vector = basis[k]
        for bit in range(n - 1, -1, -1):
            if vector >> bit & 1:
                if rows[bit]:
                    vector ^= rows[bit]
                else:
                    rows[bit] = vector
                    break
        if not vector:
            return False
    return True


@compiled
def anneal(
    basis: np.ndarray,
    best: np.ndarray,
    image: np.ndarray,
    orbits: np.ndarray,
    distance: np.ndarray,
    taken: np.ndarray,
    length: np.ndarray,
    weights: np.ndarray,
    schedule: np.ndarray,
    state: np.ndarray,
    scratch: np.ndarray,
    found: np.ndarray,
) -> int:
    """Anneal among the bases of one symmetry; return how many were evaluated.

    Parameters
    ----------
    basis : numpy.ndarray
        int64 [n], in and out: the state; initially a basis that the permutation maps to itself, in the order of
        `orbits`.
    best : numpy.ndarray
        int64 [n], out: the basis of least cost.
    image, orbits : numpy.ndarray
        int64 [2^n] and [g, 3], of `symmetry.Symmetry`.
    distance, taken, length, found : numpy.ndarray
        As in `evaluate`.
    weights : numpy.ndarray
        float64 [3], of `cost`.
    schedule : numpy.ndarray
        float64 [3]: steps, first and last temperature, relative to the cost; between them it falls geometrically.
    state : numpy.ndarray
        int64 [1], of `draw`.
    scratch : numpy.ndarray
        int64 [2, n].
    """
    n = len(basis)
    steps = int(schedule[0])
    evaluate(basis, distance, taken, length, found)
    count = 1
    now = cost(found, weights)
    least = now
    _copy(best, basis)
    temperature = schedule[1]
    cooling = (schedule[2] / schedule[1]) ** (1.0 / steps)
    for _ in range(steps):
        temperature *= cooling
        _copy(scratch[0], basis)
        kind = draw(state) & 3
        first, size, terms = orbits[draw(state) * len(orbits) >> 32]
        if kind == 0:
            change = basis[draw(state) * n >> 32]
        elif kind == 3:
            change = basis[first] ^ (1 + (draw(state) * (len(distance) - 1) >> 32))
        else:
            change = 1 << (draw(state) * n >> 32)
        vector = basis[first]
        for _ in range(1 if image[change] == change else terms):
            vector ^= change
            change = image[change]
        for k in range(first, first + size):
            basis[k] = vector
            vector = image[vector]
        if not independent(basis, scratch[1]):
            _copy(basis, scratch[0])
            continue
        evaluate(basis, distance, taken, length, found)
        count += 1
        new = cost(found, weights)
        if new <= now or draw(state) < UNIFORM * np.exp((now - new) / (now * temperature)):
            now = new
            if now < least:
                least = now
                _copy(best, basis)
        else:
            _copy(basis, scratch[0])
    return count


@compiled
def _metres(order: np.ndarray, digits: np.ndarray, length: np.ndarray) -> float:
    total = 0.0
    for generator in range(len(digits)):
        moved = 0
        for k in range(len(order)):
            moved |= digits[generator, k] << order[k]
        total += length[moved]
    return total


@compiled
def exchange(order: np.ndarray, digits: np.ndarray, length: np.ndarray) -> float:
    """Exchange the best two coordinates repeatedly while that shortens the cables; return their total length.

    Parameters
    ----------
    order : numpy.ndarray
        int64 [n], in and out: new place of each coordinate.
    digits : numpy.ndarray
        int64 [generators, n], 0 or 1: coordinates of each generator.
    length : numpy.ndarray
        float64 [2^n]: length of a generator's cables, m.
    """
    least = _metres(order, digits, length)
    while True:
        one = other = -1
        best = least - 1e-9
        for a in range(len(order)):
            for b in range(a + 1, len(order)):
                order[a], order[b] = order[b], order[a]
                new = _metres(order, digits, length)
                order[a], order[b] = order[b], order[a]
                if new < best:
                    best, one, other = new, a, b
        if one < 0:
            return least
        order[one], order[other] = order[other], order[one]
        least = best


@compiled
def _span(vectors: np.ndarray, spanned: np.ndarray) -> None:
    """Set `spanned`, int64 [2^n], to 1 for every sum of some of the vectors and to 0 for all else."""
    _clear(spanned)
    spanned[0] = 1
    for vector in vectors:
        for each in range(len(spanned)):
            if spanned[each] == 1 and not spanned[each ^ vector]:
                spanned[each ^ vector] = 2
        for each in range(len(spanned)):
            if spanned[each]:
                spanned[each] = 1


@compiled
def _keep_if_less(value: float, basis: np.ndarray, kind: int, least: np.ndarray, best: np.ndarray) -> None:
    """Keep a basis and its value if no less value of this kind was found before."""
    if value < least[kind]:
        least[kind] = value
        _copy(best[kind], basis)


@compiled
def complete(
    parts: np.ndarray,
    distance: np.ndarray,
    taken: np.ndarray,
    length: np.ndarray,
    weights: np.ndarray,
    spanned: np.ndarray,
    basis: np.ndarray,
    found: np.ndarray,
    least: np.ndarray,
    best: np.ndarray,
) -> int:
    """Evaluate every basis that completes one of the `parts` by two vectors; return their number.

    Parameters
    ----------
    parts : numpy.ndarray
        int64 [m, n − 2], independent vectors each.
    spanned : numpy.ndarray
        int64 [2^n], scratch.
    basis : numpy.ndarray
        int64 [n], scratch.
    least : numpy.ndarray
        float64 [3], in and out: least HOPS, MOST and cost so far.
    best : numpy.ndarray
        int64 [3, n]: a basis with each of these.
    """
    n = len(basis)
    vectors = len(distance)
    count = 0
    for part in range(len(parts)):
        for k in range(n - 2):
            basis[k] = parts[part, k]
        _span(basis[: n - 2], spanned)
        for a in range(1, vectors):
            if spanned[a]:
                continue
            for b in range(a + 1, vectors):
                if spanned[b] or spanned[b ^ a]:
                    continue
                basis[n - 2] = a
                basis[n - 1] = b
                evaluate(basis, distance, taken, length, found)
                count += 1
                _keep_if_less(found[HOPS], basis, 0, least, best)
                _keep_if_less(found[MOST], basis, 1, least, best)
                _keep_if_less(cost(found, weights), basis, 2, least, best)
    return count
