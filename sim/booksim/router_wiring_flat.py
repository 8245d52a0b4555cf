"""Wiring of BookSim2's networks with several nodes at a router: cmesh, flatfly, dragonflynew, anynet."""

from __future__ import annotations

from sim.booksim.anynet import AnyNet
from sim.booksim.dragonfly import CYCLES
from sim.booksim.router_wiring import Wiring


def concentrated_mesh(k: int, noc: bool) -> Wiring:
    """Return a mesh with 2×2 nodes per router, whose edge outputs are wired to each other as express channels."""
    wiring = Wiring([8] * (k * k))
    half = k // 2
    for router in range(k * k):
        x, y = router % k, router // k
        for port in range(4):
            wiring.nodes.append((router, port, router, port, 1))
        far = [(y + half if y < half else y - half), (x + half if x < half else x - half)]
        # Direction of the output at the other end, which leads to this router, and where that router is.
        ends = [
            (1, x + 1, y) if x < k - 1 else (0, x, far[0]),
            (0, x - 1, y) if x > 0 else (1, x, far[0]),
            (3, x, y + 1) if y < k - 1 else (2, far[1], y),
            (2, x, y - 1) if y > 0 else (3, far[1], y),
        ]
        for port, (direction, column, row) in enumerate(ends):
            express = (direction, column) in ((0, k - 1), (1, 0)) or (direction, row) in ((2, k - 1), (3, 0))
            cycles = (k if express else 2) if noc else 1
            wiring.channels.append((row * k + column, 4 + direction, router, 4 + port, cycles))
    order = sorted(range(4 * k * k), key=lambda seat: _place(seat, k, 2))
    wiring.nodes = [wiring.nodes[seat] for seat in order]
    return wiring


def _place(seat: int, columns: int, side: int) -> int:
    """Return the place in a grid of the node that is number `seat` by router."""
    router, local = divmod(seat, side * side)
    row, column = router // columns * side + local // side, router % columns * side + local % side
    return row * columns * side + column


def flattened_butterfly(k: int, n: int, side: int, columns: int, noc: bool) -> Wiring:
    """Return a flattened butterfly; with `noc`, the cycles of a channel grow with its length."""
    routers, c = k**n, side * side
    wiring = Wiring([c + n * (k - 1)] * routers)
    inputs = [c] * routers
    for router in range(routers):
        for local, cycles in enumerate(_node_cycles(side)):
            wiring.nodes.append((router, local, router, local, cycles if noc else 1))
        for d in range(n):
            digit = router // k**d % k
            for other_digit in range(k):
                if other_digit == digit:
                    continue
                other = router + (other_digit - digit) * k**d
                port = c + (k - 1) * d + other_digit - (router < other)
                across = abs(router % columns - other % columns) + abs(router // columns - other // columns)
                wiring.channels.append((router, port, other, inputs[other], side * across if noc else 1))
                inputs[other] += 1
    order = sorted(range(routers * c), key=lambda seat: _place(seat, columns, side))
    wiring.nodes = [wiring.nodes[seat] for seat in order]
    return wiring


def _node_cycles(side: int) -> list[int]:
    """Return the cycles to the nodes of a router: 1, and 1 more for each node between in either direction."""
    found = []
    y = x = -(side // 2)
    for _ in range(side * side):
        y += y == 0 and side % 2 == 0
        x += x == 0 and side % 2 == 0
        found.append(1 + max(abs(y) - 1, 0) + max(abs(x) - 1, 0))
        y += 1
        if y > side // 2:
            y, x = -(side // 2), x + 1
    return found


def dragonfly(p: int) -> Wiring:
    """Return a dragonfly of 2p² + 1 groups of 2p routers with p nodes each."""
    size, groups = 2 * p, 2 * p * p + 1
    wiring = Wiring([4 * p - 1] * (size * groups))
    local, between = CYCLES
    for group in range(groups):
        for at in range(size):
            router = group * size + at
            wiring.nodes += [(router, node, router, node, 1) for node in range(p)]
            for cnt in range(size - 1):
                other = cnt if cnt < at else cnt + 1
                back = at - 1 if other < at else at
                wiring.channels.append((group * size + other, p + back, router, p + cnt, local))
            for cnt in range(p):
                number = at * p + cnt
                far, link = (number, group - 1) if group > number else (number + 1, group)
                source, port = far * size + link // p, p + size - 1 + link % p
                wiring.channels.append((source, port, router, p + size - 1 + cnt, between))
    return wiring


def any_network(found: AnyNet) -> Wiring:
    """Return the network of a file: nodes at the first ports of a router, then its links, both by number."""
    routers = len(found.routers)
    nodes: list[list[int]] = [[] for _ in range(routers)]
    for node, router in sorted(found.router.items()):
        nodes[router].append(node)
    links = sorted(found.cycles)
    wiring = Wiring([len(nodes[r]) + sum(one == r for one, _ in links) for r in range(routers)])
    outputs, inputs = ([len(each) for each in nodes] for _ in range(2))
    for one, other in links:
        wiring.channels.append((one, outputs[one], other, inputs[other], found.cycles[one, other]))
        outputs[one] += 1
        inputs[other] += 1
    for node, router in sorted(found.router.items()):
        port = nodes[router].index(node)
        wiring.nodes.append((router, port, router, port, found.node_cycles.get(node, 1)))
    return wiring
