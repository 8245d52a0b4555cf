"""Paper D: the networks, and the generators of their second planes."""

from __future__ import annotations

import numpy as np

from sim.topology.bases.metrics import cost_figures, unit_basis, with_fold
from sim.topology.bases.store import read_bases

NETWORKS = {
    "D-HC": (False, None),
    "DI-HC": (False, False),
    "DI-HC-r": (False, True),
    "D-FHC": (True, None),
    "DI-FHC": (True, False),
    "DI-FHC-r": (True, True),
}
"""Networks of the paper: folded or not, and what the second basis minimises: nothing, the distance, or the latency."""

ORDERS = 99  # random orders of coordinates
SEARCHED = 8  # dimensions up to which every basis of distance alone was tried


def by_cables(bits: int, generators: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
    """Return random orders of a basis's coordinates with their mean cable, m, in order of that.

    The order changes neither distance nor traffic, only which switches of the hall are neighbours.
    """
    digits = np.array(generators)[:, None] >> np.arange(bits) & 1
    draw = np.random.default_rng(1)
    orders = [tuple(int(each) for each in digits @ (1 << draw.permutation(bits))) for _ in range(ORDERS)]
    return sorted((cost_figures(bits, each).cable_m, each) for each in orders)


def planes(network: str, bits: int) -> tuple[int, ...] | None:
    """Return the second plane's generators, or None if none have been found.

    An annealed basis of distance alone has no order of coordinates of its own: it is the one of the median cable.
    """
    folded, cables = NETWORKS[network]
    if cables is None:
        return with_fold(unit_basis(bits), folded)
    kept = read_bases().get((bits, folded, cables))
    if kept is None or cables or bits <= SEARCHED:
        return kept.generators if kept else None
    return by_cables(bits, kept.generators)[ORDERS // 2][1]
