"""The demonstration: every part in a few minutes, with a report of the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from models.params import LinkParams, SwitchParams

if TYPE_CHECKING:
    from sim.measure.result import Result

SEED = 1
SOAK_CYCLES = 1_000_000
TORUS = ("topology.kind=torus", "topology.radix=[8, 8]", "switch.vcs=4", "switch.depth=8", "traffic.packet_size=4")
CACHED = ("cache.entries=64", "traffic.load=0.002,0.05,0.1,0.15,0.2,0.25,0.3,0.35,0.4,0.45,0.5,0.55,0.6")
UNCACHED = ("cache.entries=0", "traffic.load=0.002,0.005,0.01,0.015,0.02,0.025,0.03,0.035")


@dataclass
class Demonstration:
    """One run of the demonstration.

    Parameters
    ----------
    folder : Path
        Folder for all output.
    console : Console
        Console for progress.
    workers : int
        Processes for simulations.

    Attributes
    ----------
    differences : list of str
        Comparisons in which RTL and model differed; empty if none did.
    """

    folder: Path
    console: Console
    workers: int
    sections: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    @property
    def report(self) -> Path:
        """The report."""
        return self.folder / "report.md"

    def run(self) -> None:
        """Run all steps; write the report after each, so that finished steps are kept.

        Raises
        ------
        TsujiError
            If a step fails.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        steps: list[tuple[str, Callable[[], str]]] = [
            ("Verilog of the default switch", self.verilog),
            ("Synthesis for ECP5", self.synthesis),
            ("RTL against model", self.comparison),
            ("8×8 torus, with and without route cache", self.torus),
        ]
        for number, (title, step) in enumerate(steps, 1):
            self.console.print(f"[bold]{number}/{len(steps)}  {title}[/]")
            begun = time.perf_counter()
            self.sections.append(f"## {title}\n\n{step()}\n")
            self.report.write_text("# tsuji: a demonstration\n\n" + "\n".join(self.sections), encoding="utf-8")
            self.console.print(f"      {time.perf_counter() - begun:.0f} s", style="dim")

    def verilog(self) -> str:
        """Write and lint the Verilog."""
        from hdl.switch_module import SwitchModule
        from hdl.verilog_file import verilog_file
        from synth.lint import lint

        name = "tsuji_switch"
        params = SwitchParams()
        text = verilog_file(SwitchModule(params), name)
        (self.folder / f"{name}.v").write_text(text, encoding="utf-8")
        lint(text, name)
        return (
            f"[{name}.v]({name}.v): {params.ports} ports, {params.vcs} VCs, {params.data_width}-bit flits, "
            f"{params.depth} flits per VC, a {params.cache.entries}-entry {params.cache.ways}-way route cache per "
            f"port, and the table that stands in for the CAM; {text.count(chr(10)):,} lines. "
            "`verilator --lint-only -Wall`: no warnings."
        )

    def synthesis(self) -> str:
        """Synthesise and place two switches."""
        from sim.measure.result import write_json
        from synth.report import PRESETS, document, measure
        from tsuji.cli.switch import read_switch

        results = []
        for name, settings in PRESETS.items():
            params = read_switch(None, settings)
            with self.console.status(f"{name}: synthesis and placement"):
                results.append(measure(name, params, [SEED], self.folder / "synth" / name, self._say))
        write_json(document(results), self.folder / "synth.json")
        rows = [
            (
                r.name,
                r.area.lut4,
                r.area.ccu2c,
                r.area.dpr16x4,
                r.area.ff,
                r.area.dp16kd,
                r.area.eq,
                f"{r.best_mhz:.1f}",
            )
            for r in results
        ]
        heads = ("switch", "LUT4", "CCU2C", "DPR16X4", "FF", "DP16KD", "eq", "Fmax MHz")
        return (
            f"{_table(heads, rows)}\n\nLattice ECP5 LFE5U-85F, registers on all ports, one placement. `plain` computes "
            "routes and has neither cache nor CAM interface. eq = LUT4 + 2·CCU2C + 6·DPR16X4. "
            "More seeds: `tsuji synth plain cached --seeds 8`."
        )

    def comparison(self) -> str:
        """Compare the default switch with its model: briefly under cocotb, a million cycles in the batch harness."""
        from cocotb_tests.cases.shared import CASES
        from cocotb_tests.runner.summary import regression
        from cocotb_tests.soak.harness import soak

        only = "test_switch and default and not allocator"
        outcome = regression(only, SEED, False, False, None, 1, self.console)
        rows: list[tuple[object, ...]] = [
            (f"{report.bench}, cocotb", f"{report.cycles:,}", report.mismatches, f"{report.cycles / report.run_s:,.0f}")
            for report in outcome.reports
        ]
        with self.console.status(f"batch harness: {SOAK_CYCLES:,} cycles"):
            volume = soak("default", CASES["default"], SOAK_CYCLES, SEED)
        rows.append(("switch, batch harness", f"{volume.cycles:,}", int(bool(volume.mismatch)), f"{volume.rate:,.0f}"))
        wrong = self.differences = [*outcome.failures.values(), *filter(None, [volume.mismatch])]
        cycles = volume.cycles + sum(report.cycles for report in outcome.reports)
        self._say(f"{cycles:,} cycles compared, {len(wrong)} differences")
        told = "".join(f"\n    {line}" for text in wrong for line in ["", *text.splitlines()[:12]])
        return f"{_table(('comparison', 'cycles', 'differences', 'cycles/s'), rows)}{told}"

    def torus(self) -> str:
        """Sweep the load of a torus with and without route caches."""
        from sim.measure.result import write_json
        from sim.plot.latency import plot
        from sim.sweep.axes import parse
        from sim.sweep.sweep import points, run
        from tsuji.cli.figures import sweep_table
        from tsuji.progress import Points

        todo = [point for axes in (CACHED, UNCACHED) for point in points(None, TORUS, [parse(axis) for axis in axes])]
        values = [point.values for point in todo]
        kept = self.folder / "points"
        with Points(self.console, len(todo), kept) as progress:
            results = run(todo, kept, self.workers, lambda number: progress.finished(values[number]))
        plot(values, results, self.folder / "latency.png")
        write_json({"points": [result.document() for result in results]}, self.folder / "sweep.json")
        self.console.print(sweep_table(values, results))
        rows = []
        for point, result in zip(values, results, strict=True):
            figures = result.figures
            cells = (figures.accepted_traffic, figures.packet_latency.mean, figures.network_latency.mean)
            shown = (
                "–" if cell is None else f"{cell:.{digits}f}" for cell, digits in zip(cells, (4, 1, 1), strict=True)
            )
            note = "saturated" if figures.saturated else ""
            rows.append((point["cache.entries"], point["traffic.load"], *shown, note))
        heads = ("cache entries", "load", "accepted", "packet latency", "network latency", "")
        return f"![latency](latency.png)\n\n{_table(heads, rows)}\n\n{_zero_load(values, results)}"

    def _say(self, text: str) -> None:
        self.console.print(f"      {text}", highlight=False, markup=False)


def _zero_load(values: Sequence[dict[str, str]], results: Sequence[Result]) -> str:
    """Return the latency of a nearly empty network and that of the closed form."""
    from models.params.config_file import read_config, switch_params

    lines = ["Near zero load (0.002), cycles:", ""]
    rows = []
    for point, result in zip(values, results, strict=True):
        if point["traffic.load"] == "0.002":
            figures = result.figures
            overrides = [f"cache.entries={point['cache.entries']}"]
            cycles = switch_params(read_config(None, overrides)).route_cycles_hit
            mean = figures.packet_latency.mean
            measured = "–" if mean is None else f"{mean:.2f}"
            rows.append((point["cache.entries"], cycles, cycles + 1, measured, f"{figures.zero_load_latency:.2f}"))
    heads = ("cache entries", "R", "cycles per hop", "packet latency", "closed form, empty network")
    link = LinkParams().latency
    lines.append(_table(heads, rows))
    lines += ["", f"A hop takes R + 1 cycles, and the link {link} more; R is that of a cache hit, or of the CAM."]
    return "\n".join(lines)


def _table(heads: Iterable[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; all columns but the first to the right."""
    names = list(heads)
    lines = [f"| {' | '.join(names)} |", "| --- |" + " ---: |" * (len(names) - 1)]
    lines += [f"| {' | '.join(f'{cell:,}' if isinstance(cell, int) else str(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)
