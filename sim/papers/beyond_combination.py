"""Beyond the papers: all combinations of their proposals, by latency and by energy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from sim.analysis.cached_zero_load import lookup_power
from sim.papers.axes import dress, figure, numbered_points
from sim.papers.beyond import ADAPT, CACHED, LPI, PREDICT, TORUS, UNCACHED, torus_part
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Row, Study, Tables, found

P_BASE, P_ACT, P_LPI = 17.80, 1.02, 0.10  # W per switch, and per link in use or asleep (paper B)
LOADS = (0.004, 0.02, 0.1)
"""Flits/node/cycle: low enough for links to sleep; near what the CAM can look up; above it."""
PORTS = 5
TIMES: dict[str, Any] = {"cam.latency": 25, "cam.occupancy": 25, "switch.stage_delay": 74, "switch.depth": 64}
"""Paper A's case 1 in cycles of 1 ns: 25 for a lookup of the CAM, 2 for a hit, 75 for the rest: 100 and 77 per hop."""
PARTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "cache": (UNCACHED, CACHED),
    "prediction": ({}, PREDICT),
    "low-power idle": ({}, LPI),
    "adaptive": ({}, ADAPT),
}


def combination_parts(options: Options) -> list[Part]:
    """Return all combinations of four features at each load."""
    made = []
    for flags in product((False, True), repeat=len(PARTS)):
        on = dict(zip(PARTS, flags, strict=True))
        if on["prediction"] and (on["adaptive"] or not on["cache"]):
            continue  # refused: no single output to predict, or no confirmation in time
        settings = [PARTS[name][flag] for name, flag in on.items()]
        label = {"name": _name(on)} | on
        made += [torus_part(options, "combination", label, TIMES, *settings, traffic__load=each) for each in LOADS]
    return made


def _name(on: dict[str, bool]) -> str:
    return " + ".join(name for name, flag in on.items() if flag) or "none"


def with_energy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the combinations with power (`watts`), energy (`microjoule`) and energy × latency (`product`, µJ·ns).

    The power is that of a switch and its four links (paper B, table 1) and of its lookups at 1 GHz (paper A, equation
    5), one per packet and traversed switch. The energy is that of the whole network per delivered packet; there are as
    many nodes as switches.
    """
    watts, energy = [], []
    for row in frame.itertuples():
        delivered = 1e9 * row.accepted / TORUS["traffic.packet_size"]  # packets per node and second
        misses = None if pd.isna(row.hit_rate) else 1 - row.hit_rate
        lookups = lookup_power(delivered * row.hops, misses, PORTS)
        watts.append(P_BASE + 4 * (P_ACT * (1 - row.lpi) + P_LPI * row.lpi) + lookups.total)
        energy.append(1e6 * watts[-1] / delivered)
    return frame.assign(watts=watts, microjoule=energy, product=np.array(energy) * frame["latency"])


def combination(tables: Tables) -> Findings:
    """Answer which combination has the least latency, energy, and product of both, by load."""
    frame = with_energy(tables["combination"])
    loads = sorted(frame["load"].unique())
    rows: list[Row] = []
    best: dict[float, str] = {}
    for each in loads:
        mine = frame[frame["load"] == each]
        base = mine[mine["name"] == "none"].iloc[0]
        for row in mine.rename(columns={"name": "name_"}).itertuples():
            relative = (getattr(row, column) / base[column] for column in ("latency", "microjoule", "product"))
            full = " Saturated." if row.saturated else ""
            rows.append(
                found(
                    f"load {each:g}, {row.name_}: latency, energy, energy × latency, relative to none of the features",
                    ", ".join(f"{value:.3f}" for value in relative),
                    f"{row.latency:.0f} ns, {row.watts:.2f} W per switch, {row.microjoule:.2f} µJ per packet.{full}",
                )
            )
        going = mine[~mine["saturated"]]
        best[each] = ", ".join(
            f"least {what} {going.loc[going[column].idxmin()]['name']}"
            for what, column in (("latency", "latency"), ("energy", "microjoule"), ("product", "product"))
        )
    drawn, panels = figure(len(loads), width=5.4)
    names = frame[frame["load"] == loads[0]].sort_values("latency")["name"]  # one numbering for all panels
    for axes, each in zip(panels, loads, strict=True):
        numbered_points(
            axes, frame[frame["load"] == each].set_index("name", drop=False).loc[names], "latency", "microjoule"
        )
        axes.set_xscale("log")
        last = each == loads[-1]
        dress(axes, f"load {each:g}", "network latency, ns", "µJ per packet", zero=False, beside=last)
        if not last and (legend := axes.get_legend()):
            legend.remove()
    limit = 1e3 / TIMES["cam.occupancy"]
    text = (
        "Question: which combination has the least latency, and energy? Method: every combination that the switch "
        "allows, with paper A's times (100 ns per hop with the CAM, 77 with a hit), paper B's power (17.80 W + 1.02 or "
        f"0.10 W per link) and paper A's (a lookup 42 nJ in the CAM, 0.039 nJ in a cache; the CAM takes {limit:.0f} "
        "million per second). Answer, of those that are not saturated: "
        + "; ".join(f"load {each:g}: {said}" for each, said in best.items())
        + ". Cost in LUTs: beyond.lut."
    )
    return Findings(rows, drawn, text)


CATALOGUE.enter(
    Study(
        "beyond.combination",
        "beyond",
        "which combination has the least latency, and energy per packet",
        combination_parts,
        combination,
    )
)
