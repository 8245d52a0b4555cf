"""From a prototype to a bitstream: Yosys, nextpnr and ecppack, with the clock that the placed design met."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Instance, Module, ResetSignal, Signal
from amaranth.lib.cdc import ResetSynchronizer

from models.errors import TsujiError
from synth import toolchain
from synth.boards import pll
from synth.boards.boards import Board, oscillator_mhz
from synth.ecp5 import critical_path

TOP = "top"
PLACING_S = 0.018
"""Seconds of place and route per LUT, measured with `examples/board/torus4x4.toml` on an ECP5-85F."""
PACKAGES = {
    "BG256": "CABGA256",
    "BG381": "CABGA381",
    "BG554": "CABGA554",
    "BG756": "CABGA756",
    "MG285": "CSFBGA285",
}
"""nextpnr's names of the packages of the ECP5."""


@dataclass(frozen=True)
class Built:
    """A bitstream and what is known of it.

    Attributes
    ----------
    board : str
        Name of the board.
    clock_mhz : float
        Clock that the bitstream's PLL makes.
    met_mhz : float
        Highest clock at which nextpnr says that the design works.
    baud : int
        Of the UART, at that clock.
    cells : dict of str to (int, int)
        Cells used and there, by kind.
    path : list of str
        Critical path.
    design : int
        CRC of the configuration.
    """

    board: str
    clock_mhz: float
    met_mhz: float
    baud: int
    cells: dict[str, tuple[int, int]]
    path: list[str]
    design: int

    def write(self, path: Path) -> None:
        """Write it as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


class OnBoard(Elaboratable):
    """A prototype with its clock, reset and pins.

    Parameters
    ----------
    name : str
        Module of the prototype.
    dividers : Dividers
        Clock to begin with.
    """

    def __init__(self, name: str, dividers: pll.Dividers) -> None:
        self._name = name
        self._dividers = dividers

    def elaborate(self, platform: Any) -> Module:
        """Build clock generator, reset, and the instance between the pins."""
        m = Module()
        m.domains.sync = ClockDomain()
        clock, locked = Signal(), Signal()
        oscillator = platform.request(platform.default_clk).i
        m.submodules.pll = pll.instance(self._dividers, oscillator_mhz(platform), oscillator, clock, locked)
        m.d.comb += ClockSignal().eq(clock)
        m.submodules.reset = ResetSynchronizer(~locked)
        uart = platform.request("uart", 0)
        m.submodules.prototype = Instance(
            self._name,
            i_clk=ClockSignal(),
            i_rst=ResetSignal(),
            i_rx=uart.rx.i,
            o_tx=uart.tx.o,
        )
        return m


def build(
    verilog: str,
    name: str,
    board: Board,
    target_mhz: float,
    divisor: int,
    folder: Path,
    tell: Callable[[str], None],
    design: int,
    seed: int = 1,
) -> Built:
    """Write a bitstream and its report into a folder.

    Parameters
    ----------
    verilog, name : str
        Verilog of the prototype, and its module.
    board : Board
        Where it goes.
    target_mhz : float
        Clock for which nextpnr places.
    divisor : int
        Cycles per bit of the prototype's UART.
    folder : Path
        For the files `design.bit` and `report.json`, and logs.
    tell : callable
        Called with the name of each step as it begins.
    design : int
        CRC of the configuration.
    seed : int
        Of nextpnr.

    Raises
    ------
    TsujiError
        If a tool fails.
    """
    platform = board.open()
    mhz = oscillator_mhz(platform)
    _prepare(platform, OnBoard(name, pll.dividers(mhz, target_mhz)), folder)
    (folder / "prototype.v").write_text(verilog, encoding="utf-8")
    tell("synthesis")
    # Modules are mapped one by one, so that all switches are mapped once.
    script = (
        f"read_verilog prototype.v; read_rtlil top.il; hierarchy -top {TOP}; synth_ecp5 -noflatten -top {TOP}; "
        "flatten; opt_clean; write_json top.json"
    )
    toolchain.yosys().run(["-q", "-p", script], cwd=folder, log=folder / "yosys.log")
    minutes = PLACING_S * (folder / "top.json").read_text(encoding="utf-8").count('"type": "LUT4"') / 60
    tell(f"place and route, about {minutes:.0f} minutes; how far: {folder / 'nextpnr.log'}")
    arguments = [*_device(platform), "--json", "top.json", "--lpf", "top.lpf", "--textcfg", "placed.config"]
    # Where four fifths of the LUTs are used, router1, the default, has not ended after an hour; router2 takes minutes.
    arguments += ["--seed", str(seed), "--report", "timing.json", "--timing-allow-fail", "--router", "router2"]
    toolchain.nextpnr_ecp5().run(arguments, cwd=folder, log=folder / "nextpnr.log")
    timing = json.loads((folder / "timing.json").read_text(encoding="utf-8"))
    met = min((clock["achieved"] for clock in timing["fmax"].values()), default=0.0)
    if not met:
        raise TsujiError(f"{board.name}: nextpnr timed no path; see {folder / 'nextpnr.log'}")
    chosen = pll.dividers(mhz, met)
    tell("bitstream")
    config = pll.with_clock((folder / "placed.config").read_text(encoding="utf-8"), chosen)
    (folder / "design.config").write_text(config, encoding="utf-8")
    toolchain.ecppack().run(["--compress", "design.config", "design.bit"], cwd=folder, log=folder / "ecppack.log")
    cells = {kind: (each["used"], each["available"]) for kind, each in timing["utilization"].items() if each["used"]}
    baud = round(chosen.mhz * 1e6 / divisor)
    built = Built(board.name, chosen.mhz, round(met, 2), baud, cells, critical_path(timing), design)
    built.write(folder / "report.json")
    return built


def _prepare(platform: Any, design: Elaboratable, folder: Path) -> None:
    """Write the design as RTLIL, and the pins."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = platform.prepare(design, TOP)
    for name in (f"{TOP}.il", f"{TOP}.lpf"):
        content = plan.files[name]
        text = content if isinstance(content, str) else content.decode()
        (folder / name).write_text(text, encoding="utf-8")


def _device(platform: Any) -> list[str]:
    """Return nextpnr's options of a platform's device."""
    size = re.fullmatch(r"LFE5U-(\d+)F", platform.device)
    assert size is not None, platform.device
    return [f"--{size[1]}k", "--package", PACKAGES[platform.package], "--speed", platform.speed]
