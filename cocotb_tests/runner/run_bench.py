"""Bench runs: build a design with its bench, run it, check its report; every pytest entry calls `run_bench`.

    run_bench(RoundRobinArbiter(5), "cocotb_tests.unit.allocate.arbiter.bench", "5", {"count": 5}, cycles=3000)

Environment:

    TSUJI_SEED       seed of every random choice (1)
    TSUJI_WAVES      1: write a VCD beside each report
    TSUJI_COVERAGE   1: count executed lines and toggled bits of the Verilog
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cocotb_tools.config
from amaranth.lib import wiring
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import Verilator

from cocotb_tests.runner import verilator
from cocotb_tests.runner.code_coverage import line_coverage
from cocotb_tests.runner.port_layout import wrapper
from cocotb_tests.runner.report import REPORTS, Report
from hdl.verilog import component_verilog
from models.errors import TsujiError
from synth.ports import read_ports


def seed() -> int:
    """Return the seed in TSUJI_SEED, or 1 if it is not set.

    Raises
    ------
    TsujiError
        If it is not a whole number.
    """
    value = os.environ.get("TSUJI_SEED", "1")
    try:
        return int(value)
    except ValueError as error:
        raise TsujiError(f"TSUJI_SEED = {value}: must be a whole number") from error


def run_bench(
    design: wiring.Component | str,
    bench: str,
    case: str,
    parameters: Mapping[str, Any],
    cycles: int,
    *,
    top: str = "dut_top",
    compiled_model: bool = False,
    waves: bool = False,
    folder: Path | None = None,
    by_name: bool = False,
) -> Report:
    """Run a bench on a design, and return its report.

    Parameters
    ----------
    design : Component or str
        Amaranth component, or Verilog text with module `top`.
    bench : str
        Python module with cocotb tests.
    case : str
        Name of the parameter set.
    parameters : mapping
        `Bench.parameters` of the bench, as JSON.
    cycles : int
        `Bench.cycles` of the bench.
    top : str
        Name of the design's module.
    compiled_model : bool
        Whether to compile the model; otherwise it runs as plain Python, which starts at once.
    waves : bool
        Whether to write `dump.vcd` beside the report; TSUJI_WAVES does so for all benches.
    folder : Path, optional
        Folder for report, log and waves; `build/cosim/<bench>/<case>` by default.
    by_name : bool
        Whether the bench's `dut` is the design with its ports, as bus models of other projects need; otherwise it has
        two vectors, all inputs and all outputs, which is faster.

    Raises
    ------
    AssertionError
        If a cocotb test failed, nothing was compared, or a required bin was not hit.
    """
    name = bench.removeprefix("cocotb_tests.").removesuffix(".bench").removeprefix("unit.")
    folder = folder or REPORTS / name / case
    folder.mkdir(parents=True, exist_ok=True)
    report = Report(name, case, seed())
    try:
        _run(design, bench, parameters, cycles, top, compiled_model, waves, folder, report, by_name)
    except (TsujiError, AssertionError) as error:
        report.failed = str(error)
        raise
    finally:
        report.write(folder)
    return report


def _run(
    design: wiring.Component | str,
    bench: str,
    parameters: Mapping[str, Any],
    cycles: int,
    top: str,
    compiled_model: bool,
    waves: bool,
    folder: Path,
    report: Report,
    by_name: bool,
) -> None:
    begun = time.perf_counter()
    waves = waves or os.environ.get("TSUJI_WAVES") == "1"
    coverage = os.environ.get("TSUJI_COVERAGE") == "1"
    text = design if isinstance(design, str) else component_verilog(design, top)
    ports = read_ports(text, top)
    options = verilator.Options(waves=waves, coverage=coverage)
    within = top if by_name else "bench"
    program = verilator.build(text + ("" if by_name else wrapper(ports, top)), within, _cocotb_main(), options)
    report.build_s = time.perf_counter() - begun

    settings = {
        "parameters": dict(parameters),
        "cycles": cycles,
        "seed": report.seed,
        "ports": [asdict(port) for port in ports],
    }
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    outcome = folder / "outcome.json"
    outcome.unlink(missing_ok=True)
    runner = Verilator()
    log = folder / "bench.log"
    begun = time.perf_counter()
    stopped: BaseException | None = None
    results = folder / "results.xml"
    try:
        runner.test(
            test_module=bench,
            hdl_toplevel=within,
            hdl_toplevel_lang="verilog",
            build_dir=_as_built(program, folder, within),
            test_dir=folder,
            results_xml=str(results.resolve()),
            seed=report.seed,
            waves=waves,
            log_file=log,
            extra_env={
                "TSUJI_BENCH": str(folder.resolve()),
                "NUMBA_DISABLE_JIT": "0" if compiled_model else "1",
                # By default cocotb rewrites the assertions of each imported module, which takes seconds, and for that
                # loads the plugins of pytest.
                "COCOTB_REWRITE_ASSERTION_FILES": f"{bench.rpartition('.')[2]}.py",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
        )
    except (RuntimeError, SystemExit) as error:
        stopped = error
    report.run_s = time.perf_counter() - begun
    if outcome.exists():
        for key, value in json.loads(outcome.read_text(encoding="utf-8")).items():
            setattr(report, key, value)
    if coverage:
        report.lines = line_coverage(folder / "coverage.dat")
    _judge(report, results, log, stopped)


def _judge(report: Report, results: Path, log: Path, stopped: BaseException | None) -> None:
    """Raise unless all tests passed, outputs were compared, and all required bins were hit."""
    again = f"seed {report.seed}; log {log}; again: TSUJI_SEED={report.seed}"
    try:
        report.tests, failed = get_results(results)
    except RuntimeError:
        failed = 1
    if failed or stopped:
        raise AssertionError(f"{report.bench} [{report.case}] failed ({again})\n{_reason(log)}")
    assert report.tests, f"{report.bench} [{report.case}]: no test ran ({again})"
    assert report.cycles, f"{report.bench} [{report.case}]: nothing was compared ({again})"
    assert not report.missed, f"{report.bench} [{report.case}]: never happened: {', '.join(report.missed)} ({again})"


def _reason(log: Path) -> str:
    """Return the part of a log that gives the reason of a failure."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else ["no log"]
    marks = [
        number for number, line in enumerate(lines) if "MISMATCH" in line or "Traceback" in line or "Error" in line
    ]
    start = marks[0] if marks else max(0, len(lines) - 20)
    return "\n".join(lines[start : start + 30])


def _cocotb_main() -> verilator.Source:
    """Return cocotb's main program for Verilator, and its link options."""
    main = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
    libraries = str(cocotb_tools.config.libs_dir)
    link = (f"-Wl,-rpath,{libraries}", f"-L{libraries}", "-lcocotbvpi_verilator")
    return verilator.Source(main.read_text(encoding="utf-8"), link)


def _as_built(program: Path, folder: Path, top: str) -> Path:
    """Return a folder in which the program has the name that cocotb's runner expects: that of its top module."""
    link = folder / top
    link.unlink(missing_ok=True)
    link.symlink_to(program.resolve())
    return folder
