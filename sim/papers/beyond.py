"""Beyond the papers: questions that need a switch with the features of several papers."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from sim.config import load
from sim.papers.axes import bars, dress, figure, line
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Record, Row, Study, Tables, found
from sim.simulation import simulate

TORUS: dict[str, Any] = {
    "topology.kind": "torus",
    "switch.vcs": 4,
    "switch.depth": 8,
    "traffic.packet_size": 4,
    "measure.warmup_periods": 2,
    "measure.max_warmup_periods": 6,
}
COMPUTED = {"switch.routing": "dimension_order"}
CACHED = {"switch.routing": "table", "cache.entries": 256, "cache.ways": 4}
UNCACHED = {"switch.routing": "table", "cache.entries": 0, "cache.ways": 1}
PREDICT = {"prediction.kind": "latest"}


def measured(settings: dict[str, Any], label: dict[str, Any], periods: int) -> list[Record]:
    """Return figures of a torus, as these studies use them."""
    phases = {"measure.measure_periods": periods, "measure.max_measure_periods": periods}
    figures = simulate(load(None, [f"{key}={value}" for key, value in (TORUS | phases | settings).items()])).figures
    lpi = figures.links.lpi or 0.0
    return [
        label
        | {
            "load": settings.get("traffic.load"),
            "accepted": figures.accepted_traffic,
            "latency": figures.network_latency.mean,
            "p99": figures.network_latency.p99,
            "hops": figures.hops,
            "hit_rate": figures.cache.hit_rate,
            "evictions": figures.cache.evictions,
            "success": figures.prediction.success,
            "bypassed": figures.prediction.bypassed_heads,
            "lpi": lpi,
            "saturated": figures.saturated,
        }
    ]


def _size(options: Options) -> dict[str, Any]:
    return {"topology.radix": [4, 4] if options.quick else [8, 8], "measure.period": 500 if options.quick else 2000}


def torus_part(options: Options, table: str, label: dict[str, Any], *settings: dict[str, Any], **more: Any) -> Part:
    """Return a part: the torus with some settings; later ones take precedence."""
    joined: dict[str, Any] = _size(options)
    for each in (*settings, more):
        joined |= {key.replace("__", "."): value for key, value in each.items()}
    return Part(table, measured, {"settings": joined, "label": label, "periods": 4 if options.quick else 10})


def _at(frame: pd.DataFrame, column: str, **where: Any) -> float:
    for key, wanted in where.items():
        frame = frame[frame[key] == wanted]
    return float(frame[column].iloc[0])


LOADS = (0.02, 0.2, 0.4)
ROUTES: dict[str, dict[str, Any]] = {"computed": COMPUTED, "cached": CACHED}


def prediction_parts(options: Options) -> list[Part]:
    """Return routes × prediction × load."""
    return [
        torus_part(
            options,
            "prediction",
            {"routes": routes, "predicted": predicted},
            keys,
            PREDICT if predicted else {},
            traffic__load=each,
        )
        for routes, keys in ROUTES.items()
        for predicted in (False, True)
        for each in LOADS
    ]


def prediction(tables: Tables) -> Findings:
    """Answer whether prediction hides the cache's hit time."""
    frame = tables["prediction"]
    rows = []
    apart: dict[bool, list[float]] = {}
    for predicted in (False, True):
        mine = []
        for each in LOADS:
            both = [_at(frame, "latency", routes=routes, predicted=predicted, load=each) for routes in ROUTES]
            hops = _at(frame, "hops", routes="cached", predicted=predicted, load=each)
            mine.append((both[1] - both[0]) / hops)
            name = "with" if predicted else "without"
            rows.append(
                found(
                    f"a cached route costs more than a computed one, {name} prediction, load {each}, cycles per hop",
                    mine[-1],
                )
            )
        apart[predicted] = mine
    hidden = 100 * (1 - apart[True][0] / apart[False][0])
    rows.append(found("of the hit time, hidden by prediction at the lowest load, %", hidden))
    success, bypassed = (
        100 * _at(frame, column, routes="cached", predicted=True, load=LOADS[0]) for column in ("success", "bypassed")
    )
    rows.append(
        found(
            "heads that take the bypass, cached routes, lowest load, %",
            bypassed,
            f"The prediction is right for {success:.0f} %. An output is set for one input port, the lowest whose "
            "predictor names it, so a right prediction of another port sends nothing.",
        )
    )
    saved = {routes: _saved_per_bypass(frame, routes) for routes in ROUTES}
    for routes, cycles in saved.items():
        note = "At most 1, as a route is known after one cycle." if routes == "computed" else AT_MOST_TWO
        rows.append(found(f"saved per bypassed head, {routes} routes, lowest load, cycles", cycles, note))
    drawn, (axes,) = figure()
    for number, (routes, predicted) in enumerate(product(ROUTES, (False, True))):
        mine = frame[(frame["routes"] == routes) & (frame["predicted"] == predicted)].sort_values("load")
        line(axes, mine["load"], mine["latency"], number, f"{routes}{', predicted' if predicted else ''}")
    dress(
        axes,
        "routes from computation or cache, with and without prediction",
        "load, flits/node/cycle",
        "network latency, cycles",
    )
    text = (
        "Question: does prediction hide the cache's hit time? Method: latency of a torus with computed routes (R = 1) "
        "and cached ones (R = 2), each with and without prediction of the latest port. Answer: at a load of "
        f"{LOADS[0]} prediction hides {hidden:.0f} % of what the cache costs, {apart[False][0]:.2f} cycles per hop "
        f"without and {apart[True][0]:.2f} with it. {success:.0f} % of the predictions are right, but only "
        f"{bypassed:.0f} % of the heads take the bypass, and one that does gains "
        f"{saved['cached'] - saved['computed']:.2f} cycles more with a cache than without."
    )
    return Findings(rows, drawn, text)


AT_MOST_TWO = (
    "At most 2: hash and comparison. The flits behind a head that is sent before its lookup is confirmed are stored, "
    "and a packet's latency is that of its tail."
)


def _saved_per_bypass(frame: pd.DataFrame, routes: str) -> float:
    """Return the cycles by which prediction shortens a packet's way, divided by the heads that take the bypass."""
    plain, quick = (_at(frame, "latency", routes=routes, predicted=each, load=LOADS[0]) for each in (False, True))
    hops, share = (_at(frame, name, routes=routes, predicted=True, load=LOADS[0]) for name in ("hops", "bypassed"))
    return (plain - quick) / hops / share


LPI = {"lpi.idle": 200, "lpi.sleep": 448, "lpi.wake": 288}
SOURCES: dict[str, dict[str, Any]] = {"computed": COMPUTED, "cached": CACHED, "CAM": UNCACHED | {"cam.occupancy": 1}}


def wake_parts(options: Options) -> list[Part]:
    """Return source of routes × low-power idle."""
    return [
        torus_part(
            options,
            "wake",
            {"routes": routes, "idle": idle, "seed": seed},
            keys,
            LPI if idle else {},
            traffic__load=0.004,
            run__seed=seed,
        )
        for seed in ((1, 2) if options.quick else (1, 2, 3, 4, 5))
        for routes, keys in SOURCES.items()
        for idle in (False, True)
    ]


def wake(tables: Tables) -> Findings:
    """Answer whether a cached route wakes a link early enough."""
    frame = tables["wake"]
    rows: list[Row] = []
    means: dict[str, float] = {}
    costs: dict[str, np.ndarray] = {}
    for routes in SOURCES:
        both = (
            frame[(frame["routes"] == routes) & (frame["idle"] == idle)].set_index("seed") for idle in (True, False)
        )
        on, off = both
        costs[routes] = ((on["latency"] - off["latency"]) / on["hops"]).sort_index().to_numpy()
        means[routes] = float(costs[routes].mean())
        rows.append(
            found(
                f"sleeping links cost, routes from {routes}, cycles per hop",
                means[routes],
                f"Links sleep {100 * float(on['lpi'].mean()):.0f} % of the time. Standard deviation of "
                f"{len(on)} seeds {costs[routes].std(ddof=1):.1f}.",
            )
        )
    spared = costs["CAM"] - costs["cached"]
    error = 2 * float(spared.std(ddof=1)) / len(spared) ** 0.5
    rows.append(
        found(
            "spared by a cached route instead of one from the CAM, cycles per hop",
            float(spared.mean()),
            f"± {error:.1f}, two standard errors.",
        )
    )
    drawn, (axes,) = figure()
    bars(
        axes,
        list(SOURCES),
        {
            name: [
                float(frame[(frame["routes"] == routes) & (frame["idle"] == idle)]["latency"].mean())
                for routes in SOURCES
            ]
            for name, idle in (("always active", False), ("low-power idle", True))
        },
    )
    dress(axes, "network latency at a load of 0.004", "where routes come from", "cycles")
    text = (
        "Question: does a cached route let a sleeping link be woken early enough to hide T_lw? Method: a torus with "
        "T_lt = 200, T_ls = "
        f"448, T_lw = {LPI['lpi.wake']} cycles (a tenth of paper B's), at low load; a link is asked to wake when its "
        f"head's route is known. Answer: "
        f"no: sleeping links cost {means['cached']:.0f} cycles per hop with cached routes and {means['CAM']:.0f} with "
        f"the CAM's, a difference of {spared.mean():.1f} ± {error:.1f}. A route is "
        f"known at most 25 cycles earlier, and T_lw is {LPI['lpi.wake']}."
    )
    return Findings(rows, drawn, text)


ADAPT = {"adaptive.kind": "escape"}
ENTRIES = (8, 16, 32, 64)


def adaptive_parts(options: Options) -> list[Part]:
    """Return entries × adaptive × load."""
    return [
        torus_part(
            options,
            "adaptive",
            {"entries": entries, "adaptive": adaptive},
            CACHED | {"cache.entries": entries, "cache.ways": 4, "switch.vcs": 4},
            ADAPT if adaptive else {},
            traffic__load=each,
            measure__fill_load=0.05,
        )
        for entries in ENTRIES
        for adaptive in (False, True)
        for each in ((0.02,) if options.quick else (0.02, 0.1))
    ]


def adaptive(tables: Tables) -> Findings:
    """Answer how adaptive routing affects the cache's hit rate."""
    frame = tables["adaptive"]
    least = float(frame["load"].min())
    rows = []
    for entries in ENTRIES:
        fixed, free = (
            100 * _at(frame, "hit_rate", entries=entries, adaptive=each, load=least) for each in (False, True)
        )
        rows.append(
            found(
                f"hit rate, {entries} entries, load {least}: adaptive less deterministic, points",
                free - fixed,
                f"{fixed:.1f} % and {free:.1f} %.",
            )
        )
    drawn, (axes,) = figure()
    for number, each in enumerate((False, True)):
        mine = frame[(frame["adaptive"] == each) & (frame["load"] == least)].sort_values("entries")
        line(axes, mine["entries"], 100 * mine["hit_rate"], number, "adaptive" if each else "deterministic")
    axes.set_xscale("log", base=2)
    dress(axes, f"hit rate of route caches, uniform traffic at {least}", "entries per port", "% of lookups", zero=False)
    small = ENTRIES[0]
    fixed, free = (100 * _at(frame, "hit_rate", entries=small, adaptive=each, load=least) for each in (False, True))
    text = (
        "Question: what does the cache do under adaptive routing? Method: hit rates of small caches on a torus, "
        "deterministic and minimal "
        f"adaptive routing with escape VCs. Answer: adaptive routing brings more destinations to each port, and with "
        f"{small} entries the hit rate "
        f"is {free:.1f} % instead of {fixed:.1f} %. With as many entries as nodes nothing is lost."
    )
    return Findings(rows, drawn, text)


LATENCIES = (4, 6, 10, 15, 25)
LINEAR = {"switch.routing": "linear"}
"""A table per port that is read in one cycle; the table behind the CAM's interface takes at least four."""


def onchip_parts(options: Options) -> list[Part]:
    """Return latency of the table × cache × load."""
    loads = (0.1,) if options.quick else (0.1, 0.4)
    one_cycle = [
        torus_part(options, "onchip", {"table": 1, "cached": False}, LINEAR, traffic__load=each) for each in loads
    ]
    pipelined = [
        torus_part(
            options,
            "pipelined",
            {"table": latency},
            LINEAR,
            switch__stage_delay=latency - 1,
            switch__depth=64,
            traffic__load=each,
        )
        for latency in LATENCIES
        for each in loads
    ]
    return [
        *one_cycle,
        *pipelined,
    ] + [
        torus_part(
            options,
            "onchip",
            {"table": latency, "cached": cached},
            CACHED if cached else UNCACHED,
            cam__latency=latency,
            cam__occupancy=1,
            traffic__load=each,
        )
        for latency in LATENCIES
        for cached in (False, True)
        for each in loads
    ]


def onchip(tables: Tables) -> Findings:
    """Answer how much the cache gains with an on-chip table."""
    frame = tables["onchip"]
    least = float(frame["load"].min())
    gains = {}
    for latency in LATENCIES:
        plain, cached = (_at(frame, "latency", table=latency, cached=each, load=least) for each in (False, True))
        gains[latency] = 100 * (1 - cached / plain)
    rows = [
        found(f"table of {latency} cycles: latency less by, with a cache, %", gain) for latency, gain in gains.items()
    ]
    tables_ = [1, *LATENCIES]
    plain_at = [_at(frame, "latency", table=each, cached=False, load=least) for each in tables_]
    cached_at = float(frame[(frame["cached"]) & (frame["load"] == least)]["latency"].mean())
    even = float(np.interp(cached_at, plain_at, tables_))
    rows.append(
        found(
            "table's latency at which the cache gains nothing, cycles",
            even,
            "Interpolated between the two nearest simulated tables.",
        )
    )
    drawn, (axes,) = figure()
    for number, each in enumerate((False, True)):
        mine = frame[(frame["cached"] == each) & (frame["load"] == least)].sort_values("table")
        line(axes, mine["table"], mine["latency"], number, "with cache" if each else "without")
    piped_ = tables["pipelined"][tables["pipelined"]["load"] == least].sort_values("table")
    line(axes, piped_["table"], piped_["latency"], 2, "without, pipelined", linestyle="--")
    dress(axes, f"network latency at a load of {least}", "latency of the table, cycles", "cycles")
    most, slow = float(frame["load"].max()), LATENCIES[-1]
    shared = {at: _at(frame, "latency", table=slow, cached=False, load=at) for at in (least, most)}
    piped = {at: _at(tables["pipelined"], "latency", table=slow, load=at) for at in (least, most)}
    rows += [
        found(
            f"table of {slow} cycles, no cache, load {at:g}: latency with one lookup at a time per port, and pipelined",
            f"{shared[at]:.1f}, {piped[at]:.1f}",
            f"Cycles. A port with one lookup under way looks up a packet in {slow} cycles at best.",
        )
        for at in shared
    ]
    text = (
        "Question (paper A's future work): what is the cache worth where the table is on the chip? Method: tables of "
        "4 to 25 cycles for all ports, each of which has one lookup under way; pipelined ones for each port, which "
        "take a lookup in every cycle; and one of a single cycle; with and without caches that know all destinations. "
        f"Answer: with 4 cycles the cache still gains {gains[4]:.0f} %, with 25 {gains[25]:.0f} %; it gains nothing at "
        f"{even:.1f} cycles; a hit takes two. At a load of {most:g} a table of {slow} cycles takes {shared[most]:.0f} "
        f"cycles, a pipelined one {piped[most]:.0f}: there a cache spares waiting, too."
    )
    return Findings(rows, drawn, text)


for key, title, parts, conclude in (
    ("beyond.prediction", "does prediction hide the cache's hit time", prediction_parts, prediction),
    ("beyond.wake", "does a cached route wake a sleeping link early enough", wake_parts, wake),
    ("beyond.adaptive", "what the cache does under adaptive routing", adaptive_parts, adaptive),
    ("beyond.onchip", "what the cache is worth where the table is on the chip", onchip_parts, onchip),
):
    CATALOGUE.enter(Study(key, "beyond", title, parts, conclude))
