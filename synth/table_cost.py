"""`python -m synth.table_cost`: area and clock of the tables that stand in for the CAM, exact and ternary."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

from hdl.route.route_table import RouteTable
from hdl.route.ternary_table import TernaryTable
from hdl.verilog import component_verilog
from models.params import CamParams, SwitchParams
from synth.ecp5 import Result, area, place

TOP = "tsuji_table"
TABLES = (("exact", 1024), ("ternary", 16), ("ternary", 64), ("ternary", 256))
HEAD = "| match | entries | LUT4 | flip-flops | eq | block memories | MHz |\n| --- |" + " ---: |" * 6


def measure(match: str, entries: int, seeds: list[int], folder: Path) -> Result:
    """Return area and, with seeds of nextpnr, clock of the table of the default switch with such a CAM."""
    params = SwitchParams(cam=CamParams.model_validate({"match": match, "entries": entries}))
    table = TernaryTable(params) if params.ternary else RouteTable(params)
    verilog = component_verilog(table, TOP)
    result = Result(f"{match}, {entries}", area(verilog, TOP, folder))
    if seeds:
        result.fmax, result.critical = place(verilog, TOP, folder, seeds)
    return result


def row(match: str, entries: int, result: Result) -> str:
    """Return a row of the table in Markdown."""
    cells = result.area
    clock = "–" if result.best_mhz is None else f"{result.best_mhz:.0f}"
    numbers = (entries, cells.lut4, cells.ff, cells.eq, cells.dp16kd)
    return f"| {match} | {' | '.join(f'{number:,}' for number in numbers)} | {clock} |"


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2], help="seeds of nextpnr; none: no clock")
    seeds = parser.parse_args().seeds
    print(HEAD)
    for match, entries in TABLES:
        with TemporaryDirectory() as folder:
            print(row(match, entries, measure(match, entries, seeds, Path(folder))), flush=True)


if __name__ == "__main__":
    main()
