"""Synthesis report: area and clock of switches as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from rich.table import Table

from hdl.switch import Switch
from hdl.verilog import component_verilog
from models.params import SwitchParams
from synth import toolchain
from synth.ecp5 import Result, area, place

TOP = "tsuji_switch"

# 5 ports, 2 VCs, 64-bit flits, 4 flits per VC, as published routers are measured; overrides of `[section] key`.
PRESETS: dict[str, tuple[str, ...]] = {
    "plain": ('switch.routing="dimension_order"', "switch.radix=[8, 8]", "switch.counter_width=0"),
    "cached": ("switch.counter_width=0", "cache.entries=64", "cache.ways=4"),
}


def measure(
    name: str,
    params: SwitchParams,
    seeds: Sequence[int],
    folder: Path,
    progress: Callable[[str], None] | None = None,
) -> Result:
    """Return area and clock of a switch, without the route table that stands in for its CAM.

    Parameters
    ----------
    name : str
        Name of the switch in tables.
    params : SwitchParams
        Parameters of the switch.
    seeds : sequence of int
        Seeds of nextpnr; without any, the clock is not measured.
    folder : Path
        Folder for logs and `result.json`.
    progress : callable, optional
        Called with a line of text for each step.
    """
    tell = progress or (lambda _: None)
    verilog = component_verilog(Switch(params), TOP)
    tell(f"{name}: Verilog written")
    result = Result(name, area(verilog, TOP, folder))
    tell(f"{name}: {result.area.lut4} LUT4, {result.area.ff} FF")
    if seeds:
        result.fmax, result.critical = place(
            verilog, TOP, folder, seeds, lambda seed, mhz: tell(f"{name}: seed {seed}: {mhz:.1f} MHz")
        )
    (folder / "result.json").write_text(json.dumps(result.as_json(), indent=1), encoding="utf-8")
    return result


def table(results: Sequence[Result]) -> Table:
    """Return results as a table, one row per switch."""
    shown = Table(title="Lattice ECP5 LFE5U-85F, registers on all ports")
    shown.add_column("switch")
    for heading in ("LUT4", "CCU2C", "DPR16X4", "FF", "DP16KD", "eq", "median MHz", "best MHz", "seeds"):
        shown.add_column(heading, justify="right")
    for result in results:
        cells = result.area
        counts = (cells.lut4, cells.ccu2c, cells.dpr16x4, cells.ff, cells.dp16kd, cells.eq)
        clocks = ("–" if mhz is None else f"{mhz:.1f}" for mhz in (result.median_mhz, result.best_mhz))
        shown.add_row(result.name, *(f"{count:,}" for count in counts), *clocks, str(len(result.fmax)))
    shown.caption = "eq = LUT4 + 2·CCU2C + 6·DPR16X4; clocks: median and best of the seeds"
    return shown


def document(results: Sequence[Result]) -> dict[str, object]:
    """Return results as JSON types, with the versions of this program and of the tools."""
    tools = {tool.name: tool.version for tool in (toolchain.yosys(), toolchain.nextpnr_ecp5())}
    return {"version": version("tsuji"), "tools": tools, "results": [result.as_json() for result in results]}
