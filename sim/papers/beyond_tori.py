"""Beyond the papers: a second torus in other coordinates, as paper D has a second hypercube."""

from __future__ import annotations

import pandas as pd

from sim.papers.axes import dress, figure, line
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Record, Study, Tables, found
from sim.topology.bases.metrics import graph_figures, unit_basis
from sim.topology.bases.second_torus import equal_tori, search_tori
from sim.topology.bases.store import read_bases

SIZES = {2: (*range(3, 17), 24, 32), 3: tuple(range(3, 9)), 4: (3, 4)}
"""Nodes along a dimension, by number of dimensions; all bases are tried, which takes seconds for the largest."""
QUICK = {2: (3, 4, 5, 8, 16), 3: (3, 4, 5), 4: (3,)}
CUBES = range(2, 13)
ROUNDING = 1e-9
SHOWN = (4, 8, 16, 32)  # values of k in the table; all are in the data and drawn


def second_torus(radix: int, dimensions: int) -> list[Record]:
    """Return the best second torus of one size."""
    equal, other = equal_tori(radix, dimensions), search_tori(radix, dimensions)
    return [
        _record(f"k-ary {dimensions}-cube", radix**dimensions, equal.mean_distance, equal.traffic)
        | {
            "k": radix,
            "dimensions": dimensions,
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
            "dimensions": bits,
            "second_distance": other.mean_distance,
            "second_traffic": other.traffic,
            "generators": " ".join(map(str, generators)),
        }
    ]


def _record(network: str, nodes: int, distance: float, traffic: float) -> Record:
    return {"network": network, "nodes": nodes, "distance": distance, "traffic": traffic}


def parts(options: Options) -> list[Part]:
    """Return one part per torus and per hypercube."""
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
    """Answer what a second torus in other coordinates gains, beside a second hypercube."""
    frame = tables["second"]
    frame = frame.assign(
        shorter=100 * (1 - frame["second_distance"] / frame["distance"]),
        more=100 * (frame["second_traffic"] / frame["traffic"] - 1),
    )
    tori = frame[frame["network"] != "hypercube"]
    shown = tori[tori["k"].isin(SHOWN)]
    rows = [
        found(
            f"{row.k}-ary {row.dimensions}-cube: mean distance less by, traffic more by, %",
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
    large = frame.sort_values("nodes").groupby("network", sort=False).last()
    gains = "; ".join(
        f"{network if network == 'hypercube' else f'{row.k}-ary {row.dimensions}-cube'} of {row.nodes:,} switches "
        f"−{row.shorter:.1f} and +{row.more:.1f} %"
        for network, row in large.sort_values("nodes").iterrows()
    )
    traded = frame[
        (frame["second_distance"] > frame["least_distance"] + ROUNDING)
        | (frame["second_traffic"] < frame["greatest_traffic"] - ROUNDING)
    ]
    return (
        "Question (paper D, section 4: other topologies can have isomorphic planes, too): what does a second torus in "
        "other coordinates gain? Method: every basis of Z_k^n for the second plane, packets by "
        "the plane with the shorter way, the greatest product of both improvements; graph metrics, cables not counted. "
        f"Answer: the largest of each, distance and traffic: {gains}. {_as_cubes(frame)} In each of these "
        f"sizes one basis has both the least distance and the greatest traffic{_but(traded)}."
    )


def _but(tori: pd.DataFrame) -> str:
    listed = " and ".join(f"the {row.k}-ary {row.dimensions}-cube" for row in tori.itertuples())
    return f", but for {listed}" if listed else ""


def _as_cubes(frame: pd.DataFrame) -> str:
    """Return how 4-ary cubes, which are hypercubes of twice the dimensions, compare with those with bases of GF(2)."""
    said = []
    for row in frame[(frame["k"] == 4)].itertuples():
        (cube,) = frame[(frame["network"] == "hypercube") & (frame["nodes"] == row.nodes)].itertuples()
        mine, other = (f"{one.second_distance:.4g} and {one.second_traffic:.4g}" for one in (row, cube))
        against = f"{mine}, the same" if mine == other else f"{mine} instead of {other}"
        said.append(f"in {cube.dimensions} dimensions {against}")
    return (
        "A 4-ary cube is a hypercube of twice the dimensions, and a basis modulo 4 need not be linear over GF(2), as "
        f"those of paper D are; distance and traffic {'; '.join(said)}."
    )


CATALOGUE.enter(Study("beyond.tori", "beyond", "what a second torus in other coordinates gains", parts, conclude))
