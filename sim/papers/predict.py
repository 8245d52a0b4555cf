"""Paper C: success of predictions by analysis and in simulation, and latency (table 2, figures 2, 3 and 4)."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sim.config import load
from sim.papers.axes import dress, figure, line, paper_points
from sim.papers.study import CATALOGUE, Findings, Options, Part, Record, Row, Study, Tables, claim, compare, found
from sim.routing.prediction_success import Cube, closed_form, enumerated, printed_ss, success, totals
from sim.simulation import simulate

TORUS_K = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128)
MESH_K = (2, 3, 4, 5, 6, 8, 10, 12, 14, 16)
PREDICTORS = ("SS", "LP")


def analysis(k: int, n: int, p: int, torus: bool) -> list[Record]:
    """Return the successes by closed form, and what the paper prints for SS."""
    cube = Cube(k, n, p, torus)
    counts = closed_form(cube)
    row: Record = {"k": k, "n": n, "p": p, "torus": torus, "printed_ss": printed_ss(cube) if p == 1 else None}
    for predictor in PREDICTORS:
        one = success(cube, counts, predictor)  # type: ignore[arg-type]
        row |= {f"{predictor.lower()}_hops": one.hops, f"{predictor.lower()}_channels": one.channels}
    return [row | dict(totals(counts))]


def enumeration(k: int, n: int, p: int, torus: bool) -> list[Record]:
    """Return the same by walking every route, and the greatest difference from the closed form."""
    cube = Cube(k, n, p, torus)
    walked, formed = enumerated(cube), closed_form(cube)
    row: Record = {"k": k, "n": n, "p": p, "torus": torus}
    apart = float(abs(walked.passing - formed.passing).max())
    for predictor in PREDICTORS:
        one = success(cube, walked, predictor)  # type: ignore[arg-type]
        row |= {f"{predictor.lower()}_hops": one.hops, f"{predictor.lower()}_channels": one.channels}
    return [row | {"apart": apart}]


def _cube(**where: Any) -> dict[str, Any]:
    return {"n": 2, "p": 1, "torus": True} | where


def table2_parts(options: Options) -> list[Part]:
    """Return small cubes of all kinds, walked and by closed form, and 32² walked in full size."""
    cubes = [
        _cube(k=k, n=n, p=p, torus=torus)
        for k, n, p in ((4, 2, 1), (5, 2, 1), (4, 2, 2), (3, 3, 1))
        for torus in (True, False)
    ]
    if not options.quick:
        cubes += [
            _cube(k=k, n=n, p=p, torus=torus)
            for k, n, p in ((6, 2, 1), (6, 2, 4), (7, 2, 1), (4, 3, 2), (5, 3, 1))
            for torus in (True, False)
        ]
    cubes.append(_cube(k=32))
    return [
        Part(table, run, cube)
        for cube in cubes
        for table, run in (("analysis", analysis), ("enumeration", enumeration))
    ]


def table2(tables: Tables) -> Findings:
    """Closed forms against enumeration, and against what is printed."""
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
        compare("SS over hops, 4-ary 2-mesh, printed formula as the paper", mesh["printed_ss"], mesh["ss_hops"]),
    ]
    for k in (5, 32):
        torus = _one(formed, k=k, torus=True)
        rows.append(
            compare(
                f"SS over hops, {k}-ary 2-torus, printed formula as the paper",
                torus["printed_ss"],
                torus["ss_hops"],
                PRINTED,
            )
        )
    rows.append(found("LP over hops, 32-ary 2-torus", _one(formed, k=32, torus=True)["lp_hops"], LP_PRINTED))
    drawn, (axes,) = figure()
    names = [f"{row.k}-ary {row.n}-{'torus' if row.torus else 'mesh'}, p = {row.p}" for row in formed.itertuples()]
    for number, column in enumerate(("ss_hops", "ss_channels", "lp_hops", "lp_channels")):
        line(
            axes,
            range(len(names)),
            formed[column],
            number,
            f"{column.replace('_', ', ').upper()[:2]} over {column[3:]}",
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
    dress(axes, "success of predictions: closed form and enumeration", "", "share of packets")
    text = (
        "Every route walked hop by hop, against closed forms of our own (sim/routing/prediction_success.py). Over hops: all "
        "input ports, where a local port has nothing to go straight on from; over channels: those between routers. With an even "
        "k, packets to the farthest router of a ring go half either way."
    )
    return Findings(rows, drawn, text)


PRINTED = (
    "The printed numerator has a term k^(n−1)⌊k/2⌋ that no route accounts for, and both sums count the farthest router of an even "
    "ring twice. Tried: sums to k (the other reading of the print), which gives still more; leaving the term out gives the "
    "enumeration exactly for odd k."
)
LP_PRINTED = "The printed LP formulas are not legible in our copy; the enumeration stands for them."


def _one(frame: pd.DataFrame, **where: Any) -> Any:
    mine = frame
    for key, wanted in (_cube() | where).items():
        mine = mine[mine[key] == wanted]
    return mine.iloc[0]


def fig2_parts(_: Options) -> list[Part]:
    """Return a part a radix."""
    return [Part("analysis", analysis, _cube(k=k)) for k in TORUS_K]


def fig3_parts(_: Options) -> list[Part]:
    """Return a part a radix."""
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
    dress(axes, title, f"k, routers a row ({nodes} dimensions)", "% of predictions that are right")
    return Findings(
        rows, drawn, "Closed forms that agree with the enumeration of every route (predict.table2); one node a router."
    )


def fig2(tables: Tables) -> Findings:
    """Success against k, 2-dimensional torus."""
    frame = tables["analysis"].sort_values("k")
    rows = []
    for predictor in PREDICTORS:
        column = f"{predictor.lower()}_hops"
        reached = frame[frame[column] >= 0.95]["k"]
        best = 100 * float(frame[column].max())
        where = f"reached at k = {reached.min()}" if len(reached) else f"{best:.1f} % at k = 128"
        rows.append(
            compare(
                f"{predictor} over hops, most for k ≤ 128, %",
                95,
                best,
                f"The paper says up to 95 %, with no k; {where}.",
            )
        )
        rows.append(found(f"{predictor} over hops, k = 32, %", 100 * float(frame[frame["k"] == 32][column].iloc[0])))
    return _success(tables, "k-ary 2-cube torus", rows, 2)


def fig3(tables: Tables) -> Findings:
    """Success against k, 3-dimensional mesh."""
    frame = tables["analysis"].sort_values("k")
    rows = [
        found(
            f"{predictor} over {where}, k = 16, %",
            100 * float(frame[frame["k"] == 16][f"{predictor.lower()}_{where}"].iloc[0]),
        )
        for predictor in PREDICTORS
        for where in ("hops", "channels")
    ]
    rising = all(frame[f"{predictor.lower()}_hops"].is_monotonic_increasing for predictor in PREDICTORS)
    rows.append(
        claim("success rises with k", "rises with the number of nodes", "rises" if rising else "does not", rising)
    )
    return _success(tables, "k-ary 3-cube mesh", rows, 3)


KINDS = {"SS": "static", "LP": "latest", "history": "history", "cut-through": None}
PIPELINES = {"ours": 0, "deep": 2}
"""More cycles that a head waits at the front of its VC: our pipeline of RC and VA + SA + ST, and one of four stages."""


def simulated(
    kind: str, torus: bool, radix: list[int], load_: float, pipeline: str, periods: int, period: int, seed: int
) -> list[Record]:
    """Return latency and success of one network at one load: virtual cut-through, packets of 4 flits, 2 VCs of 8 flits."""
    settings = [
        f"topology.kind={'torus' if torus else 'mesh'}",
        f"topology.radix={radix}",
        "switch.routing=dimension_order",
        "switch.vcs=2",
        "switch.depth=8",
        "switch.buffering=dynamic",
        "switch.max_packet=4",
        f"switch.head_delay={PIPELINES[pipeline]}",
        "traffic.packet_size=4",
        f"traffic.load={load_}",
        f"measure.period={period}",
        "measure.warmup_periods=2",
        f"measure.measure_periods={periods}",
        f"measure.max_measure_periods={periods}",
        "measure.max_warmup_periods=6",
        f"run.seed={seed}",
    ]
    if KINDS[kind] is not None:
        settings.append(f"prediction.kind={KINDS[kind]}")
    figures = simulate(load(None, settings)).figures
    return [
        {
            "predictor": kind,
            "torus": torus,
            "radix": "×".join(map(str, radix)),
            "load": load_,
            "pipeline": pipeline,
            "accepted": figures.accepted_traffic,
            "latency": figures.packet_latency.mean,
            "ci95": figures.packet_latency.ci95,
            "success": figures.prediction.success,
            "bypassed": figures.prediction.bypassed_heads,
            "saturated": figures.saturated,
        }
    ]


def sim_parts(options: Options) -> list[Part]:
    """Return networks of several sizes at low load, by predictor."""
    sizes = [(True, [4, 4]), (True, [8, 8]), (False, [4, 4])]
    if not options.quick:
        sizes += [
            (True, [16, 16]),
            (True, [32, 32]),
            (True, [5, 5]),
            (True, [4, 4, 4]),
            (False, [8, 8]),
            (False, [4, 4, 4]),
        ]
    return [
        Part(
            "simulated",
            simulated,
            {
                "kind": kind,
                "torus": torus,
                "radix": radix,
                "load_": 0.1,
                "pipeline": "ours",
                "periods": 4,
                "period": 1000 if max(radix) < 32 else 500,
                "seed": 1,
            },
        )
        for torus, radix in sizes
        for kind in ("SS", "LP", "history")
    ]


def sim(tables: Tables) -> Findings:
    """Success in simulation and by analysis."""
    frame = tables["simulated"]
    rows, points = [], []
    for row in frame.itertuples():
        radix = [int(size) for size in str(row.radix).split("×")]
        cube = Cube(radix[0], len(radix), 1, bool(row.torus))
        name = f"{row.radix} {'torus' if row.torus else 'mesh'}"
        if row.predictor == "history":
            rows.append(
                found(f"history success, {name}, %", 100 * float(row.success), "A finite context of two outputs.")
            )
            continue
        one = success(cube, closed_form(cube), row.predictor)  # type: ignore[arg-type]
        formed = one.channels if row.predictor == "SS" else one.hops
        points.append((name, row.predictor, formed, float(row.success)))
        apart = 100 * abs(float(row.success) - formed)
        where = "channels" if row.predictor == "SS" else "hops"
        quantity = f"{row.predictor}, {name}: simulation and analysis apart, percentage points (analysis {100 * formed:.1f} % over {where})"
        if row.torus:
            rows.append(claim(quantity, "≤ 3.0", apart, apart <= 3.0))
        else:
            rows.append(found(quantity, apart))
    drawn, (axes,) = figure(width=5.2, height=4.8)
    axes.plot([0, 100], [0, 100], color="#777777", linewidth=0.8)
    for number, predictor in enumerate(PREDICTORS):
        mine = [(100 * formed, 100 * measured) for _, kind, formed, measured in points if kind == predictor]
        line(axes, [x for x, _ in mine], [y for _, y in mine], number, predictor, linestyle="none", markersize=7)
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    dress(axes, "success of predictions, uniform traffic at 0.1", "analysis, %", "simulation, %")
    text = (
        "Cycle-accurate networks at 0.1 flits/node/cycle, packets of 4 flits. The switch's SS names nothing at a local port, so it "
        "is compared over channels; LP over hops. The paper's simulation was of a few dozen to a thousand nodes."
    )
    return Findings(rows, drawn, text)


LOADS = (0.01, 0.05, 0.10, 0.14, 0.17, 0.20)


def fig4_parts(options: Options) -> list[Part]:
    """Return the curves: three predictors, two pipelines."""
    radix = [8, 8] if options.quick else [32, 32]
    loads = (0.02, 0.2, 0.4) if options.quick else LOADS
    return [
        Part(
            "simulated",
            simulated,
            {
                "kind": kind,
                "torus": True,
                "radix": radix,
                "load_": each,
                "pipeline": pipeline,
                "periods": 4,
                "period": 500,
                "seed": 1,
            },
        )
        for pipeline in PIPELINES
        for kind in ("cut-through", "SS", "LP")
        for each in loads
    ]


def fig4(tables: Tables) -> Findings:
    """Latency against accepted traffic."""
    frame = tables["simulated"]
    size = str(frame["radix"].iloc[0])
    rows = []
    lowest = float(frame["load"].min())

    def latency(kind: str, pipeline: str, each: float) -> float:
        mine = frame[(frame["predictor"] == kind) & (frame["pipeline"] == pipeline) & (frame["load"] == each)]
        return float(mine["latency"].iloc[0])

    for pipeline, name in (("ours", "two stages"), ("deep", "four stages")):
        for kind in PREDICTORS:
            less = {
                each: 100 * (1 - latency(kind, pipeline, each) / latency("cut-through", pipeline, each))
                for each in sorted(frame["load"].unique())
            }
            told = ", ".join(f"{value:.0f} % at {each:g}" for each, value in less.items())
            rows.append(
                compare(
                    f"{kind}, {size} torus, {name} a hop: latency less by, % (lowest load)",
                    35,
                    less[lowest],
                    f"By load: {told}. The paper's parameters are in a reference and not printed; how much is saved is a matter of "
                    "how many stages a wrong or missing prediction costs. Tried: two and four stages.",
                )
            )
    order = all(latency(kind, "deep", lowest) < latency("cut-through", "deep", lowest) for kind in PREDICTORS)
    rows.append(
        claim(
            "prediction before saturation", "lower latency than cut-through", "lower" if order else "not lower", order
        )
    )
    drawn, both = figure(2, width=5.6)
    for axes, (pipeline, name) in zip(
        both, (("ours", "our pipeline, two stages"), ("deep", "four stages")), strict=True
    ):
        for number, kind in enumerate(("cut-through", "SS", "LP")):
            mine = frame[(frame["predictor"] == kind) & (frame["pipeline"] == pipeline)].sort_values("load")
            line(axes, mine["accepted"], mine["latency"], number, kind)
            over = mine[mine["saturated"]]
            axes.plot(
                over["accepted"],
                over["latency"],
                "o",
                markerfacecolor="white",
                markersize=7,
                color=axes.lines[-1].get_color(),
            )
        axes.set_ylim(0, 6 * frame[frame["load"] == lowest]["latency"].max())
        dress(axes, f"{size} torus, {name}", "accepted traffic, flits/node/cycle", "mean packet latency, cycles")
    text = (
        "Virtual cut-through (dynamic), packets of 4 flits, 2 VCs of 8 flits, links of 1 cycle, uniform traffic; hollow: "
        "saturated. The pipeline of four stages is ours with heads that wait 2 cycles more (switch.head_delay)."
    )
    return Findings(rows, drawn, text)


for name, title, parts, conclude in (
    ("predict.table2", "closed forms of the success of predictions, and enumeration", table2_parts, table2),
    ("predict.fig2", "success against k, k-ary 2-cube torus", fig2_parts, fig2),
    ("predict.fig3", "success against k, k-ary 3-cube mesh", fig3_parts, fig3),
    ("predict.sim", "success in simulation and by analysis", sim_parts, sim),
    ("predict.fig4", "latency against accepted traffic, 32-ary 2-cube torus", fig4_parts, fig4),
):
    CATALOGUE.enter(Study(name, "C", title, parts, conclude))
