"""Success rate of output-port predictors under uniform traffic on a k-ary n-cube (paper C, section 2).

The pairs of nodes whose dimension-order route passes from each input port to each output port are counted in two ways:
by walking every route hop by hop, and by closed form. The success rates of two predictors follow from these counts,
averaged over all packets that pass an input port:

- SS, static straight: the packet goes straight on. A local port has no prediction, so its packets count as failures.
- SS local: the same, but a local port predicts a fixed direction of the first dimension: + on a torus; on a mesh the
  direction in which more routers lie.
- LP, latest port: the packet goes where its predecessor went. For independent packets, of which a share q goes to
  each output, the success rate is Σ q².

*Over hops* all input ports count; *over channels* only those from other routers. With an even radix a destination may
be as far in both directions of a ring; here half of such packets go either way. (Our switch sends those of even
coordinates one way and those of odd ones the other: `models.route.dimension_order.dimension_order_route`.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.lib.array_check import check_int

Float = NDArray[np.float64]
Predictor = Literal["SS", "SS local", "LP"]
Ties = Literal["half", "parity"]


@dataclass(frozen=True)
class Cube:
    """A k-ary n-cube.

    Parameters
    ----------
    k : int
        Routers per row or ring.
    n : int
        Dimensions.
    p : int
        Nodes (PEs) per router.
    torus : bool
        Whether rows are rings.

    Raises
    ------
    TsujiError
        If a parameter is too small.
    """

    k: int
    n: int
    p: int = 1
    torus: bool = True

    def __post_init__(self) -> None:
        check_int("k", self.k, 2)
        check_int("n", self.n, 1)
        check_int("p", self.p, 1)


class Successes(NamedTuple):
    """Shares of packets whose output was predicted correctly.

    Attributes
    ----------
    hops : float
        Over all input ports.
    channels : float
        Over input ports from other routers.
    """

    hops: float
    channels: float


class PortCounts(NamedTuple):
    """Pairs of nodes whose route passes a router, by input port and output port.

    Attributes
    ----------
    passing : array [routers, 2n + 1, 2n + 1]
        Input ports: 2d for packets that travel in + of dimension d, 2d + 1 for −, then one local port, which stands for
        all `p`. Output ports: the same directions, then the port of one node.
    nodes : array [2n + 1]
        Node ports over which the packets from each input port to output 2n are spread evenly.
    """

    passing: Float
    nodes: Float


def closed_form(cube: Cube) -> PortCounts:
    """Return the counts as products, over dimensions, of the sources and destinations on either side of a router.

    A packet that travels in dimension d has the destination's coordinates in the dimensions before and the source's in
    those behind. So the count factorises: sources and destinations in the router's row, times the free coordinates.
    """
    k, n, p = cube.k, cube.n, cube.p
    arriving, straight, leaving = _ring(cube)  # [k, 2]
    place = np.array(list(product(range(k if not cube.torus else 1), repeat=n)), np.int64).reshape(-1, n)
    passing = np.zeros((len(place), 2 * n + 1, 2 * n + 1))
    for d in range(n):
        for way in range(2):
            sources = p * float(k) ** d
            come, on = arriving[place[:, d], way], straight[place[:, d], way]
            port = 2 * d + way
            passing[:, port, port] = sources * on * p * float(k) ** (n - 1 - d)
            for other in range(d + 1, n):
                for turn in range(2):
                    behind = leaving[place[:, other], turn] * p * float(k) ** (n - 1 - other)
                    passing[:, port, 2 * other + turn] = sources * come * behind
            passing[:, port, 2 * n] = sources * come * p
    for d in range(n):
        for way in range(2):
            passing[:, 2 * n, 2 * d + way] = leaving[place[:, d], way] * p * float(k) ** (n - 1 - d)
    passing[:, 2 * n, 2 * n] = p - 1
    nodes = np.full(2 * n + 1, float(p))
    nodes[2 * n] = max(p - 1, 1)
    return PortCounts(passing, nodes)


def _ring(cube: Cube) -> tuple[Float, Float, Float]:
    """Return, by coordinate and direction [k or 1, 2]: sources that stop, pairs that go on, destinations from here."""
    k = cube.k
    if not cube.torus:
        x = np.arange(k, dtype=np.float64)
        before = np.stack([x, k - 1 - x], axis=1)
        behind = before[:, ::-1]
        return before, before * behind, behind.copy()
    distance = np.arange(1, k // 2 + 1)
    weight = np.where(2 * distance == k, 0.5, 1.0)
    here = np.full((1, 2), weight.sum())
    return here, np.full((1, 2), (weight * (distance - 1)).sum()), here.copy()


def enumerated(cube: Cube, ties: Ties = "half") -> PortCounts:
    """Return the counts by walking the route of every pair of nodes; on a torus, of every pair from some routers.

    A torus looks the same from every router, so the packets of one router at all routers stand for those of all routers
    at one. Where parity decides, this holds among routers of equal parities.

    Parameters
    ----------
    cube : Cube
    ties : {"half", "parity"}
        Direction of packets to the farthest router of an even ring: half go each way, as in the closed form; or + from
        an even coordinate and − from an odd one, as in our switch.
    """
    k, n, p = cube.k, cube.n, cube.p
    places = list(product(range(k), repeat=n))
    number = {place: index for index, place in enumerate(places)}
    sources = places
    if cube.torus:
        classes = 2 if ties == "parity" and k % 2 == 0 else 1
        sources = list(product(range(classes), repeat=n))
        number = {place: sources.index(tuple(x % classes for x in place)) for place in places}
    passing = np.zeros((len(sources), 2 * n + 1, 2 * n + 1))
    for source in sources:
        for destination in places:
            pairs = p * p if source != destination else p * (p - 1)
            for moves, weight in _routes(cube, source, destination, ties):
                at, port = list(source), 2 * n
                for move in moves:
                    passing[number[tuple(at)], port, move] += weight * pairs
                    at[move // 2] = (at[move // 2] + (1 if move % 2 == 0 else -1)) % k
                    port = move
                passing[number[tuple(at)], port, 2 * n] += weight * pairs
    passing[:, 2 * n] /= p  # of one local port
    nodes = np.full(2 * n + 1, float(p))
    nodes[2 * n] = max(p - 1, 1)
    return PortCounts(passing, nodes)


def _routes(
    cube: Cube, source: tuple[int, ...], destination: tuple[int, ...], ties: Ties
) -> Iterator[tuple[list[int], float]]:
    """Yield the dimension-order routes of a pair, as directions 2d (+) or 2d + 1 (−), with their shares of packets."""
    choices: list[list[tuple[list[int], float]]] = []
    for d, (x, y) in enumerate(zip(source, destination, strict=True)):
        ahead = (y - x) % cube.k
        if not cube.torus:
            choices.append([([2 * d] * (y - x) if y > x else [2 * d + 1] * (x - y), 1.0)])
        elif 2 * ahead == cube.k:
            shares = (0.5, 0.5) if ties == "half" else (1.0 - x % 2, float(x % 2))
            choices.append([([2 * d] * ahead, shares[0]), ([2 * d + 1] * ahead, shares[1])])
        else:
            choices.append([([2 * d] * ahead if 2 * ahead < cube.k else [2 * d + 1] * (cube.k - ahead), 1.0)])
    for chosen in product(*choices):
        yield [move for moves, _ in chosen for move in moves], float(np.prod([share for _, share in chosen]))


def success(cube: Cube, counts: PortCounts, predictor: Predictor) -> Successes:
    """Return the success rate of a predictor, given the counts of `closed_form` or `enumerated`."""
    ports = 2 * cube.n + 1
    passing = counts.passing
    total = passing.sum(axis=2)  # [routers, input ports]
    if predictor != "LP":
        right = passing[:, range(ports), range(ports)].copy()
        ahead = passing[:, -1, 0] if cube.torus else passing[:, -1, :2].max(axis=1)
        right[:, -1] = ahead if predictor == "SS local" else 0.0
    else:
        squares = passing**2
        squares[:, :, -1] /= counts.nodes
        with np.errstate(invalid="ignore", divide="ignore"):
            right = np.where(total > 0, squares.sum(axis=2) / total, 0.0)
    copies = np.ones(ports)
    copies[-1] = cube.p
    hops = float((right * copies).sum() / (total * copies).sum())
    return Successes(hops, float(right[:, :-1].sum() / total[:, :-1].sum()))


def printed_ss(cube: Cube) -> float:
    """Return what table 2 prints for SS over all hops, with sums to ⌊k/2⌋, one node per router.

    On a torus, T, the paths through a router's channels, is 2n k^(n−1) Σ i + k^n − 1, i = 1 … ⌊k/2⌋, and P = (2n
    k^(n−1) Σ i + k^(n−1) ⌊k/2⌋) / T, i = 1 … ⌊k/2⌋ − 1. The last term of P counts the packets of a local port that go
    in direction +X. For an even radix, both count the farthest router twice. On a mesh, i = 1 … k: T = 2n k^(2n−2) Σ
    (k−i) i + k^n (k^n − 1), P = (2n k^(2n−2) Σ (k−i)(i−1) + k^(2n−2) Σ max(k−i, i−1)) / T; the last term counts the
    packets of a local port that go in the direction of X in which more routers lie.
    """
    k, n = cube.k, cube.n
    if not cube.torus:
        i = np.arange(1, k + 1)
        paths = 2 * n * k ** (2 * n - 2) * int(((k - i) * i).sum()) + k**n * (k**n - 1)
        straight = 2 * n * int(((k - i) * (i - 1)).sum()) + int(np.maximum(k - i, i - 1).sum())
        return float(k ** (2 * n - 2) * straight / paths)
    half = k // 2
    paths = 2 * n * k ** (n - 1) * (half * (half + 1) // 2) + k**n - 1
    return float((2 * n * k ** (n - 1) * (half * (half - 1) // 2) + k ** (n - 1) * half) / paths)


def totals(counts: PortCounts) -> Counter[str]:
    """Return the paper's sums: paths over channels between routers, and the straight ones among them."""
    ports = counts.passing.shape[1] - 1
    between = counts.passing[:, :ports]
    straight = sum(float(between[:, port, port].sum()) for port in range(ports))
    return Counter({"channels": round(float(between.sum())), "straight": round(straight)})
