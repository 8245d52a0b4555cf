"""Paper C, section 2: success of predictions by analysis (table 2, figures 2 and 3)."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sim.analysis.prediction_success import Cube, Predictor, closed_form, enumerated, printed_ss, success, totals
from sim.papers.axes import dress, figure, line, paper_points
from sim.papers.framework.study import (
    CATALOGUE,
    Findings,
    Options,
    Part,
    Record,
    Row,
    Study,
    Tables,
    claim,
    compare,
    found,
)

TORUS_K = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128)
MESH_K = (2, 3, 4, 5, 6, 8, 10, 12, 14, 16)
PREDICTORS: tuple[Predictor, ...] = ("SS", "SS local", "LP")
PLAIN = ("SS", "LP")
"""Those of figures 2 and 3."""


def analysis(k: int, n: int, p: int, torus: bool) -> list[Record]:
    """Return the successes by closed form, and what the paper prints for SS."""
    cube = Cube(k, n, p, torus)
    counts = closed_form(cube)
    row: Record = {"k": k, "n": n, "p": p, "torus": torus, "printed_ss": printed_ss(cube) if p == 1 else None}
    for predictor in PREDICTORS:
        one = success(cube, counts, predictor)
        row |= {f"{_column(predictor)}_hops": one.hops, f"{_column(predictor)}_channels": one.channels}
    return [row | dict(totals(counts))]


def enumeration(k: int, n: int, p: int, torus: bool) -> list[Record]:
    """Return the successes by walking every route, and the greatest difference from the closed form."""
    cube = Cube(k, n, p, torus)
    walked, formed = enumerated(cube), closed_form(cube)
    row: Record = {"k": k, "n": n, "p": p, "torus": torus}
    apart = float(abs(walked.passing - formed.passing).max())
    for predictor in PREDICTORS:
        one = success(cube, walked, predictor)
        row |= {f"{_column(predictor)}_hops": one.hops, f"{_column(predictor)}_channels": one.channels}
    return [row | {"apart": apart}]


def _column(predictor: str) -> str:
    """Return what the names of a predictor's columns begin with."""
    return predictor.lower().replace(" ", "_")


def _cube(**where: Any) -> dict[str, Any]:
    return {"n": 2, "p": 1, "torus": True} | where


def table2_parts(options: Options) -> list[Part]:
    """Return small cubes of all kinds, enumerated and by closed form, and 32² enumerated in full size."""
    cubes = [
        _cube(k=k, n=n, p=p, torus=torus)
        for k, n, p in ((4, 2, 1), (5, 2, 1), (7, 2, 1), (4, 2, 2), (3, 3, 1))
        for torus in (True, False)
    ]
    if not options.quick:
        cubes += [
            _cube(k=k, n=n, p=p, torus=torus)
            for k, n, p in ((6, 2, 1), (6, 2, 4), (4, 3, 2), (5, 3, 1))
            for torus in (True, False)
        ]
    cubes.append(_cube(k=32))
    return [
        Part(table, run, cube)
        for cube in cubes
        for table, run in (("analysis", analysis), ("enumeration", enumeration))
    ]


def table2(tables: Tables) -> Findings:
    """Compare closed forms with enumeration, and with printed values."""
    formed, walked = tables["analysis"], tables["enumeration"]
    apart = float(walked["apart"].max())
    rows = [
        claim(
            "greatest difference of any count, closed form (ours) and enumeration",
            "the two must agree",
            apart,
            apart < 1e-6,
            f"{len(walked)} cubes: k 3 to 32, n 2 and 3, p 1 to 4, mesh and torus.",
        )
    ]
    mesh = _one(formed, k=4, torus=False)
    rows += [
        compare("paths over channels, 4-ary 2-mesh", 640, mesh["channels"]),
        compare("of them straight on", 256, mesh["straight"]),
        compare(
            "SS success over channels, 4-ary 2-mesh, %",
            43,
            100 * mesh["ss_channels"],
            "256 of 640 are 40 %; the paper prints 43 %.",
        ),
    ]
    for k, torus in ((4, False), (5, True), (7, True), (32, True)):
        one = _one(formed, k=k, torus=torus)
        name = f"{k}-ary 2-{'torus' if torus else 'mesh'}"
        note = PRINTED + (EVEN if torus and k % 2 == 0 else "")
        quantity = f"SS with static local ports, over hops, {name}, printed formula as the paper"
        rows.append(compare(quantity, one["printed_ss"], one["ss_local_hops"], note))
        rows.append(found(f"SS without prediction at local ports, over hops, {name}", one["ss_hops"]))
    rows.append(found("LP over hops, 32-ary 2-torus", _one(formed, k=32, torus=True)["lp_hops"], LP_PRINTED))
    drawn, (axes,) = figure(width=8.0)
    names = [f"{row.k}-ary {row.n}-{'torus' if row.torus else 'mesh'}, p = {row.p}" for row in formed.itertuples()]
    drawn_columns = {
        f"{predictor} over {where}": f"{_column(predictor)}_{where}"
        for predictor, where in (
            ("SS", "hops"),
            ("SS local", "hops"),
            ("SS", "channels"),
            ("LP", "hops"),
            ("LP", "channels"),
        )
    }
    for number, (label, column) in enumerate(drawn_columns.items()):
        line(
            axes,
            range(len(names)),
            formed[column],
            number,
            label,
            linestyle="none",
        )
        axes.plot(
            range(len(names)),
            walked[column],
            "+",
            color="#1c2733",
            markersize=9,
            label="enumeration" if not number else None,
        )
    paper_points(axes, range(len(names)), formed["printed_ss"], "SS over hops, printed formula")
    axes.set_xticks(range(len(names)), names, rotation=75, fontsize=7, ha="right")
    dress(axes, "success of predictions: closed form and enumeration", "", "share of packets", beside=True)
    text = (
        "Every route walked hop by hop, against closed forms of our own (sim/analysis/prediction_success.py). Over "
        "hops: all "
        "input ports, where a local port has nothing to go straight on from; over channels: those between routers. "
        "With an even "
        "k, packets to the farthest router of a ring go half either way."
    )
    return Findings(rows, drawn, text)


PRINTED = (
    "The last term of the printed numerator is a static prediction at local ports: +X on a torus, on a mesh the "
    "direction of X in which more routers lie. T of a mesh with 2n for the n that our copy prints: that gives the 640 "
    "of the paper's example, n 320."
)
EVEN = " Both printed sums count the farthest router of an even ring twice; tried: odd k, which agrees exactly."
LP_PRINTED = "The printed LP formulas are not legible in our copy; the enumeration stands for them."


def _one(frame: pd.DataFrame, **where: Any) -> Any:
    mine = frame
    for key, wanted in (_cube() | where).items():
        mine = mine[mine[key] == wanted]
    return mine.iloc[0]


def fig2_parts(_: Options) -> list[Part]:
    """Return one part per radix."""
    return [Part("analysis", analysis, _cube(k=k)) for k in TORUS_K]


def fig3_parts(_: Options) -> list[Part]:
    """Return one part per radix."""
    return [Part("analysis", analysis, _cube(k=k, n=3, torus=False)) for k in MESH_K]


def _success(tables: Tables, title: str, rows: list[Row], nodes: int) -> Findings:
    frame = tables["analysis"].sort_values("k")
    drawn, (axes,) = figure()
    labels = {
        "ss_hops": "SS, over hops",
        "ss_channels": "SS, over channels",
        "lp_hops": "LP, over hops",
        "lp_channels": "LP, over channels",
    }
    for number, (column, label) in enumerate(labels.items()):
        line(axes, frame["k"], 100 * frame[column], number, label, linestyle="-" if "hops" in column else "--")
    axes.axhline(95, color="#1c2733", linewidth=0.8, linestyle=":", label="paper: up to 95 %")
    axes.set_ylim(0, 100)
    dress(axes, title, f"k, routers per row ({nodes} dimensions)", "% of predictions that are right")
    return Findings(
        rows,
        drawn,
        "Closed forms that agree with the enumeration of every route (predict.table2); one node per router.",
    )


def fig2(tables: Tables) -> Findings:
    """Success against k, 2-dimensional torus."""
    frame = tables["analysis"].sort_values("k")
    rows = []
    for predictor in PLAIN:
        column = frame.set_index("k")[f"{predictor.lower()}_hops"]
        reached = column.index[column >= 0.95]
        where = f"reached at k = {reached.min()}" if len(reached) else f"at k = 128 it is {100 * column[128]:.1f} %"
        rows.append(
            compare(
                f"{predictor} over hops, k = 64, 4,096 nodes, %",
                95,
                100 * float(column[64]),
                f"The paper says up to 95 % with several thousand nodes, and no k; {where}.",
            )
        )
        rows.append(found(f"{predictor} over hops, k = 32, %", 100 * float(column[32])))
    return _success(tables, "k-ary 2-cube torus", rows, 2)


def fig3(tables: Tables) -> Findings:
    """Success against k, 3-dimensional mesh."""
    frame = tables["analysis"].sort_values("k")
    rows = [
        found(
            f"{predictor} over {where}, k = 16, %",
            100 * float(frame[frame["k"] == 16][f"{predictor.lower()}_{where}"].iloc[0]),
        )
        for predictor in PLAIN
        for where in ("hops", "channels")
    ]
    large = frame[frame["k"] >= 6]
    rising = all(large[f"{predictor.lower()}_hops"].is_monotonic_increasing for predictor in PLAIN)
    least = frame.loc[frame["lp_hops"].idxmin()]
    note = f"Of k ≥ 6. LP is least at k = {int(least['k'])}: of few outputs the latest is right by chance more often."
    said = "rises with the number of nodes"
    rows.append(claim("success rises with k", said, "rises" if rising else "does not", rising, note))
    return _success(tables, "k-ary 3-cube mesh", rows, 3)


for key, title, parts, conclude in (
    ("predict.table2", "closed forms of the success of predictions, and enumeration", table2_parts, table2),
    ("predict.fig2", "success against k, k-ary 2-cube torus", fig2_parts, fig2),
    ("predict.fig3", "success against k, k-ary 3-cube mesh", fig3_parts, fig3),
):
    CATALOGUE.enter(Study(key, "C", title, parts, conclude))
