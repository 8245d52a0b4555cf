"""The combination of the papers' proposals with the best performance per LUT, as an id of `tsuji papers`.

It is here because it needs the hardware, which `sim/` does not import.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from sim.papers.axes import dress, figure, numbered_points
from sim.papers.beyond_combination import combination_parts
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Record, Row, Study, Tables, found


def cells(name: str, settings: dict[str, Any]) -> list[Record]:
    """Return the cells of the switch of a combination on a Lattice ECP5."""
    from sim.config import load
    from synth.report import measure

    given = [f"{key}={value}" for key, value in settings.items()]
    with TemporaryDirectory() as folder:
        area = measure(name, load(None, given).switch, (), Path(folder)).area
    return [{"name": name, "lut4": area.lut4, "ff": area.ff, "block_ram": area.dp16kd, "eq": area.eq}]


SIZE = {"switch.depth": 8, "switch.stage_delay": 0}
"""Of the switch that is synthesised: the delays of paper A's case are those of a chip, not registers to count."""
REDUCED = {"switch.vcs": 2, "switch.depth": 2, "switch.data_width": 16}
"""Of the switch that is synthesised in reduced size."""
SWITCH = ("topology.", "switch.", "cache.", "cam.", "lpi.", "prediction.", "adaptive.")


def parts(options: Options) -> list[Part]:
    """Return one part per combination: latency, power, and cells; in reduced size only the first and the last."""
    measured = combination_parts(options)
    names = [part.params["label"]["name"] for part in measured]
    wanted = [
        part
        for part, name in zip(measured, names, strict=True)
        if not options.quick or name in names[:: len(names) - 1]
    ]
    made = list(wanted)
    by_name = {part.params["label"]["name"]: part for part in wanted}
    for name, part in by_name.items():
        settings = {"switch.vcs": 4, **part.params["settings"], **SIZE, **(REDUCED if options.quick else {})}
        kept = {key: value for key, value in settings.items() if key.startswith(SWITCH)}
        made.append(Part("cells", cells, {"name": name, "settings": kept}))
    return made


def concluded(tables: Tables) -> Findings:
    """Compare latency × cells; cells are counted in four-input lookup tables (LUT4)."""
    every = tables["combination"]
    least = float(every["load"].min())
    frame: pd.DataFrame = every[every["load"] == least].merge(tables["cells"], on="name")
    base = frame[frame["name"] == "none"].iloc[0]
    rows: list[Row] = []
    for row in frame.rename(columns={"name": "name_"}).itertuples():
        product = float(row.latency * row.eq / (base["latency"] * base["eq"]))
        size = f"{row.lut4:,} LUT4, {row.ff:,} FF, {row.block_ram:,} block RAMs; eq = {row.eq:,}."
        rows.append(found(f"{row.name_}: cells, relative to none of the features", float(row.eq / base["eq"]), size))
        rows.append(found(f"{row.name_}: latency × cells, relative to none of the features", product))
    frame["worth"] = frame["latency"] * frame["eq"]
    best = frame.loc[frame["worth"].idxmin()]
    drawn, (axes,) = figure(width=7.4)
    numbered_points(axes, frame.sort_values("eq"), "eq", "latency")
    axes.set_yscale("log")
    dress(axes, "combinations", "LUT4 equivalents of a switch", "network latency, ns", zero=False, beside=True)
    text = (
        "Question: which combination has the least latency × LUTs? Method: latency of beyond.combination at a load of "
        f"{least:g}, and Yosys's count for a Lattice ECP5 of the same switch (five ports; in full size 4 VCs of "
        "8 flits of 64 bits; eq = LUT4 + 2·CCU2C + 6·DPR16X4; the CAM is off the chip). Answer: the least product of "
        f"latency and cells has {best['name']}, {best['latency']:.1f} ns with {best['eq'] / base['eq']:.2f} times the "
        "cells."
    )
    return Findings(rows, drawn, text)


CATALOGUE.enter(Study("beyond.lut", "beyond", "which combination has the least latency × LUTs", parts, concluded))
