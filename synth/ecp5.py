"""Area and clock of a design on a Lattice ECP5 (LFE5U-85F): Yosys `synth_ecp5`, nextpnr.

The area is that of the design alone. The clock is measured with a register on every port: a shift register feeds all
inputs of the design, each output has a register, and a chain of XORs folds these into one pin. So three pins are
enough, and every path of interest begins and ends in a register. nextpnr's own out-of-context mode is not used, as it
leaves the clock off the global network.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from models.errors import TsujiError
from synth import toolchain
from synth.ports import Port, read_ports

TARGET_MHZ = 150
DEVICE = ("--85k", "--package", "CABGA756")


@dataclass
class Area:
    """Cells of a design after `synth_ecp5`.

    Parameters
    ----------
    lut4, ccu2c, dpr16x4, ff, dp16kd : int
        Cells: four-input LUTs, carry pairs, distributed memories of 16 words by 4 bits, flip-flops, block memories.
    other : dict of str to int
        Counts of all other cells.
    """

    lut4: int = 0
    ccu2c: int = 0
    dpr16x4: int = 0
    ff: int = 0
    dp16kd: int = 0
    other: dict[str, int] = field(default_factory=dict)

    @property
    def eq(self) -> int:
        """Area in LUT equivalents: LUT4 + 2·CCU2C + 6·DPR16X4."""
        return self.lut4 + 2 * self.ccu2c + 6 * self.dpr16x4


@dataclass
class Result:
    """Measured area and clock of a design.

    Parameters
    ----------
    name : str
        Name of the design in tables.
    area : Area
        Cells of the design.
    fmax : dict of int to float
        MHz for each nextpnr seed.
    critical : list of str
        Cells and nets of the critical path, for the best seed.
    """

    name: str
    area: Area
    fmax: dict[int, float] = field(default_factory=dict)
    critical: list[str] = field(default_factory=list)

    @property
    def best_mhz(self) -> float | None:
        """Highest clock of all seeds in MHz; None when none was placed."""
        return max(self.fmax.values(), default=None)

    @property
    def median_mhz(self) -> float | None:
        """Median of the clocks of all seeds in MHz; None when none was placed."""
        return median(self.fmax.values()) if self.fmax else None

    def as_json(self) -> dict[str, object]:
        """Return all fields as JSON types."""
        area = {**asdict(self.area), "eq": self.area.eq}
        clock = {"fmax_mhz": self.best_mhz, "fmax_median_mhz": self.median_mhz, "fmax_by_seed": self.fmax}
        return {"name": self.name, **area, **clock, "path": self.critical}


def area(verilog: str, top: str, folder: Path) -> Area:
    """Return the cells of a design after `synth_ecp5`.

    Parameters
    ----------
    verilog : str
        Verilog of all modules.
    top : str
        Name of the top module.
    folder : Path
        Folder for logs and intermediate files.
    """
    _write(folder, "design.v", verilog)
    script = f"read_verilog design.v; synth_ecp5 -top \\{top} ; tee -q -o area.json stat -json"
    toolchain.yosys().run(["-p", script], cwd=folder, log=folder / "yosys_area.log")
    text = (folder / "area.json").read_text(encoding="utf-8")
    cells: dict[str, int] = json.loads(text[text.index("{") :])["design"]["num_cells_by_type"]
    names = {"LUT4": "lut4", "CCU2C": "ccu2c", "DPR16X4": "dpr16x4", "TRELLIS_DPR16X4": "dpr16x4"}
    names |= {"TRELLIS_FF": "ff", "DP16KD": "dp16kd", "PDPW16KD": "dp16kd"}
    result = Area()
    for cell, count in cells.items():
        if cell in names:
            setattr(result, names[cell], getattr(result, names[cell]) + count)
        elif not cell.startswith("$"):
            result.other[cell] = count
    return result


def place(
    verilog: str, top: str, folder: Path, seeds: Iterable[int], done: Callable[[int, float], None] | None = None
) -> tuple[dict[int, float], list[str]]:
    """Return the clock in MHz for each seed, and the critical path for the best seed.

    Parameters
    ----------
    verilog : str
        Verilog of all modules.
    top : str
        Name of the top module, whose clock is `clk`.
    folder : Path
        Folder for logs and intermediate files.
    seeds : iterable of int
        Seeds of nextpnr.
    done : callable, optional
        Called with each seed and its clock in MHz.

    Raises
    ------
    TsujiError
        If a tool fails or nextpnr timed no path.
    """
    ports = read_ports(verilog, top)
    _write(folder, "pads.v", verilog + pads(ports, top))
    script = "read_verilog pads.v; synth_ecp5 -top pads -json pads.json"
    toolchain.yosys().run(["-p", script], cwd=folder, log=folder / "yosys_pads.log")
    (folder / "pads.v").unlink()

    def one(seed: int) -> tuple[int, float, list[str]]:
        arguments = [*DEVICE, "--json", "pads.json", "--seed", str(seed), "--freq", str(TARGET_MHZ)]
        arguments += ["--timing-allow-fail", "--report", f"seed_{seed}.json"]
        toolchain.nextpnr_ecp5().run(arguments, cwd=folder, log=folder / f"nextpnr_{seed}.log")
        report = json.loads((folder / f"seed_{seed}.json").read_text(encoding="utf-8"))
        clocks = [clock["achieved"] for clock in report["fmax"].values()]
        if not clocks:
            raise TsujiError(f"{top}: nextpnr timed no path; see {folder / f'nextpnr_{seed}.log'}")
        mhz = round(min(clocks), 2)
        if done:
            done(seed, mhz)
        return seed, mhz, critical_path(report)

    with ThreadPoolExecutor(max_workers=2) as pool:
        runs = list(pool.map(one, seeds))
    best = max(runs, key=lambda run: run[1], default=(0, 0.0, []))
    return {seed: mhz for seed, mhz, _ in runs}, best[2]


def pads(ports: list[Port], top: str) -> str:
    """Return a module `pads` with pins `clk`, `feed` and `fold` around the instance `dut` of `top`."""
    inputs = [port for port in ports if port.is_input and port.name != "clk"]
    outputs = [port for port in ports if not port.is_input]
    wide_in, wide_out = (max(1, sum(port.width for port in side)) for side in (inputs, outputs))
    connections = ["    .clk (clk)"] if any(port.name == "clk" for port in ports) else []
    for side, vector in ((inputs, "given"), (outputs, "made")):
        offset = 0
        for port in side:
            connections.append(f"    .\\{port.name} ({vector}[{offset}+:{port.width}])")
            offset += port.width
    return (
        "module pads(input clk, input feed, output fold);\n"
        f"  reg [{wide_in - 1}:0] given;\n"
        f"  wire [{wide_out - 1}:0] made;\n"
        f"  reg [{wide_out - 1}:0] kept;\n"
        f"  reg [{wide_out - 1}:0] chain;\n"
        "  always @(posedge clk) begin\n"
        "    given <= {given, feed};\n"
        "    kept <= made;\n"
        "    chain <= {chain, 1'b0} ^ kept;\n"
        "  end\n"
        f"  assign fold = chain[{wide_out - 1}];\n"
        f"  \\{top} dut (\n" + ",\n".join(connections) + "\n  );\nendmodule\n"
    )


def critical_path(report: dict[str, Any]) -> list[str]:
    """Return the critical register-to-register path of a nextpnr report, one step per line."""
    paths = [path for path in report.get("critical_paths", []) if path["from"] == path["to"] != "<async>"]
    if not paths:
        return []
    slowest = max(paths, key=lambda path: sum(step["delay"] for step in path["path"]))
    return [f"{step['delay']:5.2f} ns {step['type']:8} {_end(step)}" for step in slowest["path"]]


def _end(step: dict[str, Any]) -> str:
    to = step.get("to", {})
    return f"{step.get('net', '')} {to.get('cell', '')}.{to.get('port', '')}".strip()


def _write(folder: Path, name: str, text: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise TsujiError(f"{folder}: cannot be written: {error.strerror}") from error
