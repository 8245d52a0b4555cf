"""Which ports of BookSim2's routers are wired to which, and the cycles of each channel.

Ports are numbered as by BookSim2, because its routing functions and allocators go by these numbers (networks/ of
https://github.com/booksim/booksim2).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Wiring:
    """Routers, channels between them, and nodes.

    Attributes
    ----------
    ports : list of int
        Inputs, and as many outputs, of each router.
    channels : list of tuple
        Router, output, router, input, cycles.
    nodes : list of tuple
        Of each node: router and input that it sends to, router and output that it hears, cycles of either channel.
    numbers : list of int
        By which routing functions know the routers; empty: 0, 1, …
    """

    ports: list[int]
    channels: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    nodes: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


def cube(k: int, n: int, cycles: int) -> Wiring:
    """Return a torus; a mesh is wired like one, and does not use the links around."""
    wiring = Wiring([2 * n + 1] * k**n)
    for router in range(k**n):
        for d in range(n):
            place = k**d
            digit = router // place % k
            right = router + ((digit + 1) % k - digit) * place
            left = router + ((digit - 1) % k - digit) * place
            wiring.channels.append((router, 2 * d, right, 2 * d + 1, cycles))
            wiring.channels.append((router, 2 * d + 1, left, 2 * d, cycles))
        wiring.nodes.append((router, 2 * n, router, 2 * n, 1))
    return wiring


def fly(k: int, n: int) -> Wiring:
    """Return a butterfly of n stages, from nodes on its left to nodes on its right."""
    stage_size = k ** (n - 1)
    wiring = Wiring([k] * (n * stage_size))
    for stage in range(1, n):
        shift = k ** (n - stage - 1)
        for at in range(stage_size):
            digit = at // shift % k
            for port in range(k):
                before = (stage - 1) * stage_size + at + (port - digit) * shift
                wiring.channels.append((before, digit, stage * stage_size + at, port, 1))
    last = (n - 1) * stage_size
    for node in range(k**n):
        wiring.nodes.append((node // k, node % k, last + node // k, node % k, 1))
    return wiring


def fat_tree(k: int, n: int) -> Wiring:
    """Return a k-ary n-tree: level 0 at the top, children at ports 0 to k − 1, parents at ports k to 2k − 1."""
    size = k ** (n - 1)
    wiring = Wiring([k] * size + [2 * k] * ((n - 1) * size))
    for level in range(n - 1):
        below = k ** (n - 1 - level)  # routers of a level below one port of the level above it
        branch = below // k
        for at in range(size):
            for port in range(k):
                place = at // below * below * k + port * branch * k + at % below % branch * k + at % below // branch
                above, child = level * size + at, (level + 1) * size + place // k
                wiring.channels.append((child, k + place % k, above, port, 1))
        for at in range(size):
            for port in range(k):
                place = at // below * below * k + port * branch * k + at % below % branch * k + at % below // branch
                wiring.channels.append((level * size + place // k, place % k, (level + 1) * size + at, k + port, 1))
    for node in range(k**n):
        leaf = (n - 1) * size + node // k
        wiring.nodes.append((leaf, node % k, leaf, node % k, 1))
    return wiring


def quad_tree() -> Wiring:
    """Return a tree of three levels with four children each."""
    wiring = Wiring([4] + [5] * 20, numbers=[0, *range(256, 260), *range(512, 528)])
    for child in range(20):
        parent = 0 if child < 4 else 1 + (child - 4) // 4
        port = child % 4
        wiring.channels.append((parent, port, child + 1, 4, 1))
        wiring.channels.append((child + 1, 4, parent, port, 1))
    for node in range(64):
        wiring.nodes.append((5 + node // 4, node % 4, 5 + node // 4, node % 4, 1))
    return wiring


def tree4() -> Wiring:
    """Return a tree of three levels with 4, 8 and 16 routers."""
    levels = [range(4), range(4, 12), range(12, 28)]
    numbers = [16 * level + at for level, routers in enumerate(levels) for at in range(len(routers))]
    wiring = Wiring([8] * 12 + [6] * 16, numbers=numbers)
    for at in range(8):
        for port in range(4):
            parent, child, up = 4 + at, 12 + at // 2 * 4 + port, 4 + at % 2
            wiring.channels += [(parent, port, child, up, 1), (child, up, parent, port, 1)]
    for at in range(4):
        for port in range(8):
            wiring.channels += [(at, port, 4 + port, 4 + at, 1), (4 + port, 4 + at, at, port, 1)]
    for node in range(64):
        wiring.nodes.append((12 + node // 4, node % 4, 12 + node // 4, node % 4, 1))
    return wiring
