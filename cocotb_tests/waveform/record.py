"""Signals of a panel, sampled from a run of the hardware."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cocotb_tests.runner.report import REPORTS
from cocotb_tests.runner.run_bench import run_bench
from cocotb_tests.runner.verilog import TOP, switch_verilog
from cocotb_tests.waveform.scenes import FLITS, IN, OUT, Panel, signals
from cocotb_tests.waveform.vcd import by_cycle

DUT = "bench.dut."
BEFORE, AFTER = 1, 7  # cycles drawn before, and from, the cycle in which the head is on the link

Samples = dict[str, list[str]]  # by row, per cycle: "0", "1", or the kind of flit on a link ("" without a flit)


def record(scene: str, panel: Panel, folder: Path = REPORTS / "waveform") -> Samples:
    """Return the samples of the rows of a panel, from `BEFORE` cycles before the head is visible on the input link.

    Parameters
    ----------
    scene : str
        Name of the picture.
    panel : Panel
        Part of the picture: a switch and its packets.
    folder : Path
        Folder in which a subfolder for the panel is made; two recordings at the same time need two folders.
    """
    case = panel.case
    parameters = {
        "switch": case.params.model_dump(),
        "position": case.position,
        "routes": [] if case.position else [(tag, out) for out, tag in panel.tags.items()],
        "tags": [panel.tags[out] for out in (*panel.before, OUT)],
        "port": IN,
        "flits": FLITS,
    }
    name = f"{scene}, {panel.title}"
    text = switch_verilog(case.params)
    run_bench(text, "cocotb_tests.waveform.bench", name, parameters, 0, top=TOP, waves=True, folder=folder / name)
    return _samples(folder / name / "dump.vcd", panel)


def _samples(path: Path, panel: Panel) -> Samples:
    rows = {
        name: (f"{of}_valid", f"{of}_payload") if "link_" in of and of.endswith("_flit") else (of,)
        for name, of in signals(panel).items()
    }
    values = by_cycle(path, "bench.clk", [DUT + signal for row in rows.values() for signal in row])
    tail = panel.case.params.vc_bits
    samples = {}
    for name, row in rows.items():
        first = values[DUT + row[0]]
        samples[name] = [str(value) for value in first]
        if len(row) > 1:
            samples[name] = _kinds(first, [payload >> tail & 1 for payload in values[DUT + row[1]]])
    head = max(cycle for cycle, kind in enumerate(samples[f"link in {IN}"]) if kind == "head")
    return {name: row[head - BEFORE : head + AFTER] for name, row in samples.items()}


def _kinds(valid: Sequence[int], tail: Sequence[int]) -> list[str]:
    """Return the kind of each flit on a link; packets are on one VC, one after the other."""
    kinds, inside = [], False
    for is_flit, is_tail in zip(valid, tail, strict=True):
        kinds.append(("tail" if is_tail else "body" if inside else "head") if is_flit else "")
        if is_flit:
            inside = not is_tail
    return kinds


def hop(samples: Samples) -> int:
    """Return the number of cycles from the head on the input link to the head on the output link."""
    return samples[f"link out {OUT}"].index("head") - samples[f"link in {IN}"].index("head")
