"""Hardware cost of the switches of a hyper-crossbar, as an id of `tsuji papers`: paper E's future work.

It is here because it needs the hardware, which `sim/` does not import.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sim.papers.axes import bars, dress, figure
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Record, Row, Study, Tables, found

RADIX = (8, 8, 16)
HYPER: dict[str, Any] = {
    "routing": "hyper_crossbar",
    "radix": RADIX,
    "ports": 4,
    "data_width": 16,
    "tag_width": 16,
    "counter_width": 0,
}
STEP: dict[str, Any] = {"kind": "step", "lookahead": True, "selection": "order"}
DEPTH = 100
VARIANTS: dict[str, dict[str, Any]] = {
    "fixed, wormhole": {"vcs": 1, "depth": 8},
    "fixed, dynamic": {"vcs": 1, "depth": DEPTH, "buffering": "dynamic", "max_packet": DEPTH},
    "fixed, flexible": {"vcs": 1, "depth": DEPTH, "buffering": "flexible"},
    "adaptive, wormhole": {"vcs": 3, "depth": 8, "adaptive": STEP},
    "adaptive, reserved, wormhole": {"vcs": 3, "depth": 8, "adaptive": STEP | {"reservation": True}},
    "adaptive, dynamic": {
        "vcs": 3,
        "depth": DEPTH,
        "adaptive": STEP,
        "buffering": "dynamic",
        "max_packet": DEPTH,
    },
    "adaptive, flexible": {"vcs": 3, "depth": DEPTH, "adaptive": STEP, "buffering": "flexible"},
}


def cost(variant: str, settings: dict[str, Any], crossbar: int | None) -> list[Record]:
    """Return the cells of an exchanger, or of the crossbar of a dimension, on a Lattice ECP5."""
    from models.params import SwitchParams
    from synth.report import measure

    params = SwitchParams(**HYPER | settings)
    if crossbar is not None:
        params = params.crossbar_of(crossbar)
    with TemporaryDirectory() as folder:
        cells = measure(variant, params, (), Path(folder)).area
    return [
        {
            "variant": variant,
            "switch": "exchanger" if crossbar is None else f"crossbar of {RADIX[crossbar]}",
            "ports": params.ports,
            "vcs": params.vcs,
            "depth": params.depth,
            "lut4": cells.lut4,
            "ccu2c": cells.ccu2c,
            "dpr16x4": cells.dpr16x4,
            "ff": cells.ff,
            "block_ram": cells.dp16kd,
            "eq": cells.eq,
        }
    ]


def cost_parts(options: Options) -> list[Part]:
    """Return one part per variant and kind of switch."""
    wanted = ("fixed, wormhole", "adaptive, wormhole") if options.quick else tuple(VARIANTS)
    kinds = (None,) if options.quick else (None, 0)
    return [
        Part("cost", cost, {"variant": name, "settings": VARIANTS[name], "crossbar": crossbar})
        for name in wanted
        for crossbar in kinds
    ]


def concluded(tables: Tables) -> Findings:
    """Compare the variants' cells."""
    frame = tables["cost"]
    rows: list[Row] = []
    for row in frame.itertuples(index=False):
        size = f"{row.lut4:,} LUT4, {row.ff:,} FF, {row.dpr16x4:,} DPR16X4, {row.block_ram:,} block RAMs"
        note = f"{row.ports} ports, {row.vcs} VCs of {row.depth} flits; eq = LUT4 + 2·CCU2C + 6·DPR16X4 = {row.eq:,}."
        rows.append(found(f"{row.variant}: {row.switch}", size, note))
    exchangers = frame[frame["switch"] == "exchanger"].set_index("variant")["eq"]
    base = float(exchangers["fixed, wormhole"])
    for name, eq in exchangers.items():
        if name != "fixed, wormhole":
            rows.append(found(f"{name}: exchanger, eq of the one that is fixed, wormhole", float(eq) / base))
    drawn, (axes,) = figure(width=7.2)
    kinds = list(dict.fromkeys(frame["switch"]))
    names = list(dict.fromkeys(frame["variant"]))
    values = {kind: frame[frame["switch"] == kind].set_index("variant")["eq"].reindex(names).tolist() for kind in kinds}
    bars(axes, names, values)
    axes.tick_params(axis="x", labelrotation=20, labelsize=7)
    dress(axes, "exchanger and crossbar of a hyper-crossbar", "", "LUT4 equivalents, without block RAM")
    text = (
        "Yosys's count for a Lattice ECP5, without placement: 16-bit flits, as the paper's data path, one node port, "
        "no counters. Buffers of wormhole hold 8 flits, the others 100."
    )
    return Findings(rows, drawn, text)


CATALOGUE.enter(Study("hxb.cost", "E", "hardware cost of exchangers and crossbars", cost_parts, concluded))
