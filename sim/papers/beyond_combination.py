"""Beyond the papers: all combinations of their proposals, by latency and by power."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from sim.analysis.cached_zero_load import lookup_power
from sim.papers.axes import dress, figure, numbered_points
from sim.papers.beyond import ADAPT, CACHED, LPI, PREDICT, TORUS, UNCACHED, torus_part
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Study, Tables, found

P_BASE, P_ACT, P_LPI = 17.80, 1.02, 0.10  # W per switch, and per link in use or asleep (paper B)
LIGHT = 0.004  # flits/node/cycle: low enough for links to sleep
PORTS = 5
PARTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "cache": (UNCACHED | {"cam.occupancy": 25}, CACHED),
    "prediction": ({}, PREDICT),
    "low-power idle": ({}, LPI),
    "adaptive": ({}, ADAPT),
}


def combination_parts(options: Options) -> list[Part]:
    """Return all combinations of four features."""
    made = []
    for flags in product((False, True), repeat=len(PARTS)):
        on = dict(zip(PARTS, flags, strict=True))
        if on["prediction"] and (on["adaptive"] or not on["cache"]):
            continue  # refused: no single output to predict, or no confirmation in time
        settings = [PARTS[name][flag] for name, flag in on.items()]
        made.append(torus_part(options, "combination", {"name": _name(on)} | on, *settings, traffic__load=LIGHT))
    return made


def _name(on: dict[str, bool]) -> str:
    return " + ".join(name for name, flag in on.items() if flag) or "none"


def with_watts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the combinations with the power of a switch (`watts`) and power × latency (`product`, W · cycles).

    The power is that of the switch and its four links (paper B, table 1) and of its lookups at 1 GHz (paper A, equation
    5), one per packet and traversed switch.
    """
    watts = []
    for row in frame.itertuples():
        packets = (
            1e9 * row.accepted / TORUS["traffic.packet_size"] * row.hops
        )  # packets looked up per switch and second
        lookups = lookup_power(packets, None if pd.isna(row.hit_rate) else 1 - row.hit_rate, PORTS)
        watts.append(P_BASE + 4 * (P_ACT * (1 - row.lpi) + P_LPI * row.lpi) + lookups.total)
    return frame.assign(watts=watts, product=np.array(watts) * frame["latency"])


def combination(tables: Tables) -> Findings:
    """Answer which combination has the least latency, power, and product of both."""
    frame = with_watts(tables["combination"])
    base = frame[frame["name"] == "none"].iloc[0]
    least, product_ = float(base["latency"]), float(base["product"])
    rows = [
        found(
            f"{row.name_}: latency, and power × latency, relative to none of the features",
            f"{row.latency / least:.3f}, {row.product / product_:.3f}",
            f"{row.latency:.1f} cycles, {row.watts:.2f} W per switch.",
        )
        for row in frame.rename(columns={"name": "name_"}).itertuples()
    ]
    fastest, best = frame.loc[frame["latency"].idxmin()], frame.loc[frame["product"].idxmin()]
    thrifty = frame.loc[frame["watts"].idxmin()]
    drawn, (axes,) = figure(width=7.4)
    numbered_points(axes, frame, "latency", "watts")
    axes.set_xscale("log")
    dress(
        axes, f"combinations at a load of {LIGHT}", "network latency, cycles", "W per switch", zero=False, beside=True
    )
    text = (
        "Question: which combination has the least latency, and power? Method: every combination that the switch "
        "allows, at low load, power by paper B's "
        "figures (17.80 W + 1.02 or 0.10 W per link) and paper A's (a lookup 42 nJ in the CAM, 0.039 nJ in a cache), "
        f"load {LIGHT}, 1 GHz. Answer: fastest is "
        f"{fastest['name']} ({fastest['latency']:.1f} cycles), least power has {thrifty['name']}, and the least "
        f"product of both {best['name']}. "
        "Cost in LUTs: beyond.lut."
    )
    return Findings(rows, drawn, text)


CATALOGUE.enter(
    Study(
        "beyond.combination",
        "beyond",
        "which combination is best a nanosecond and a joule",
        combination_parts,
        combination,
    )
)
