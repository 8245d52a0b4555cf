"""Beyond the papers: a second torus in other coordinates, as paper D has a second hypercube (its future work)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from sim.papers.axes import dress, figure, line
from sim.papers.study import CATALOGUE, Findings, Options, Part, Record, Study, Tables, found
from sim.topology.isomorphic.metrics import graph_figures, unit_basis
from sim.topology.isomorphic.second_torus import equal_tori, search_tori
from sim.topology.isomorphic.store import read_bases

SIZES = {2: (*range(3, 17), 24, 32), 3: tuple(range(3, 9)), 4: (3, 4)}
"""Nodes along a dimension, by dimensions; all bases are tried, which takes seconds for the largest."""
QUICK = {2: (3, 4, 5, 8, 16), 3: (3, 4, 5), 4: (3,)}
CUBES = range(2, 13)
SHOWN = (4, 8, 16, 32)  # k in the table; all are in the data and drawn


def second_torus(radix: int, dimensions: int) -> list[Record]:
    """Return the best second torus of one size."""
    equal, other = equal_tori(radix, dimensions), search_tori(radix, dimensions)
    return [
        _record(f"k-ary {dimensions}-cube", radix**dimensions, equal.mean_distance, equal.traffic)
        | {
            "k": radix,
            "second_distance": other.best.mean_distance,
            "second_traffic": other.best.traffic,
            "least_distance": other.least_mean_distance,
            "greatest_traffic": other.greatest_traffic,
            "bases": other.tried,
            "generators": " ".join("(" + ",".join(map(str, each)) + ")" for each in other.best.generators),
        }
    ]


def second_cube(bits: int, generators: list[int]) -> list[Record]:
    """Return a second hypercube, for comparison."""
    equal, other = (graph_figures(bits, tuple(each)) for each in (unit_basis(bits), generators))
    return [
        _record("hypercube", 2**bits, equal.mean_distance, equal.traffic)
        | {
            "k": 2,
            "second_distance": other.mean_distance,
            "second_traffic": other.traffic,
            "generators": " ".join(map(str, generators)),
        }
    ]


def _record(network: str, nodes: int, distance: float, traffic: float) -> Record:
    return {"network": network, "nodes": nodes, "distance": distance, "traffic": traffic}


def parts(options: Options) -> list[Part]:
    """Return a part a torus and a hypercube."""
    sizes = QUICK if options.quick else SIZES
    tori = [
        Part("second", second_torus, {"radix": radix, "dimensions": dimensions})
        for dimensions, each in sizes.items()
        for radix in each
    ]
    kept = {bits: read_bases()[bits, False, False].generators for bits in CUBES}
    return tori + [
        Part("second", second_cube, {"bits": bits, "generators": list(generators)}) for bits, generators in kept.items()
    ]


def conclude(tables: Tables) -> Findings:
    """Answer whether a second torus in other coordinates gains what a second hypercube does."""
    frame = tables["second"]
    frame = frame.assign(
        shorter=100 * (1 - frame["second_distance"] / frame["distance"]),
        more=100 * (frame["second_traffic"] / frame["traffic"] - 1),
    )
    tori = frame[frame["network"] != "hypercube"]
    shown = tori[tori["k"].isin(SHOWN)]
    rows = [
        found(
            f"{row.k}-ary {str(row.network)[6]}-cube: mean distance less by, traffic more by, %",
            f"{row.shorter:.1f}, {row.more:.1f}",
            f"{row.distance:.3f} → {row.second_distance:.3f} links, {row.traffic:.3f} → {row.second_traffic:.3f}; "
            f"best of {row.bases:,.0f} bases, generators {row.generators}.",
        )
        for row in shown.itertuples()
    ]
    drawn, (left, right) = figure(2, width=5.2)
    for number, (network, mine) in enumerate(frame.groupby("network", sort=False)):
        ordered = mine.sort_values("nodes")
        for axes, column in ((left, "shorter"), (right, "more")):
            line(axes, ordered["nodes"], ordered[column], number, str(network))
    for axes in (left, right):
        axes.set_xscale("log", base=2)
    dress(left, "(a) mean distance", "switches", "% less than two equal planes")
    dress(right, "(b) all-to-all maximum traffic", "switches", "% more than two equal planes")
    return Findings(rows, drawn, _answer(frame))


def _answer(frame: pd.DataFrame) -> str:
    """Return question, method and answer."""
    tori = frame[frame["network"] != "hypercube"]
    large = tori[tori["nodes"] >= 64]
    text = (
        "Question (paper D's future work): does a second plane in other coordinates help tori as it helps hypercubes? "
        "Method: every basis of Z_k^n for the second plane, packets by the plane with the shorter way, the product of "
        "both improvements; graph metrics, cables not counted. "
        f"Answer: yes: with 64 switches or more the mean distance falls by {large['shorter'].min():.0f} to "
        f"{large['shorter'].max():.0f} % and the traffic rises by {large['more'].min():.0f} to "
        f"{large['more'].max():.0f} %."
    )
    return text + _as_cubes(frame)


def _as_cubes(frame: pd.DataFrame) -> str:
    """Return how 4-ary n-cubes, which are hypercubes of 2n dimensions, compare to those with bases of GF(2)."""
    value = partial(_value, frame)
    said = []
    for dimensions in (2, 3, 4):
        if ((frame["network"] == f"k-ary {dimensions}-cube") & (frame["k"] == 4)).any():
            nodes = 4**dimensions
            ours = [
                value(f"k-ary {dimensions}-cube", nodes, column) for column in ("second_distance", "second_traffic")
            ]
            cube = [value("hypercube", nodes, column) for column in ("second_distance", "second_traffic")]
            said.append(
                f"n = {2 * dimensions}: {ours[0]:.4g} and {ours[1]:.4g} instead of {cube[0]:.4g} and {cube[1]:.4g}"
            )
    return (
        " A 4-ary n-cube is a hypercube of 2n dimensions, and its second plane need not be linear over GF(2); distance "
        f"and traffic with a basis modulo 4 instead of the kept bases: {'; '.join(said)}."
    )


def _value(frame: pd.DataFrame, network: str, nodes: int, column: str) -> Any:
    return frame[(frame["network"] == network) & (frame["nodes"] == nodes)][column].iloc[0]


CATALOGUE.enter(
    Study(
        "beyond.tori", "beyond", "does a second torus in other coordinates help as a second hypercube", parts, conclude
    )
)
