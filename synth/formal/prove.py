"""SymbiYosys runs of a property and of its mutant."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from amaranth.back import rtlil

from models.errors import TsujiError
from synth import toolchain
from synth.formal.proof import Proof
from synth.formal.property import Property
from synth.mutated import mutated, run_in

FOLDER = Path("build/proofs").resolve()  # in the working directory, not in the folder of the program

# Exit codes of SymbiYosys.
_VERDICTS = {0: "proved", 2: "refuted", 4: "unknown", 8: "timeout"}

_SCRIPT = """\
[options]
mode {mode}
depth {depth}
timeout {timeout}

[engines]
smtbmc {options}yices

[script]
read_rtlil top.il
prep -flatten -top top

[files]
top.il
"""


@dataclass(frozen=True)
class Outcome:
    """Outcome of one run, of a property or its mutant.

    Parameters
    ----------
    verdict : str
        "proved", "refuted" (there is a counterexample), "unknown" (the induction fails) or "timeout".
    seconds : float
        Duration of the run.
    trace : Path or None
        VCD of the counterexample, or of the state in which the induction fails.
    """

    verdict: str
    seconds: float
    trace: Path | None = None


def prove(item: Property, timeout: int = 600) -> Outcome:
    """Prove a property of the unchanged hardware.

    Parameters
    ----------
    item : Property
    timeout : int
        Time limit in seconds.

    Raises
    ------
    TsujiError
        If a tool fails.
    """
    return _run(item.name, rtlil_text(item, strengthened=True), item, item.mode, item.depth, timeout)


def refute(item: Property, timeout: int = 600) -> Outcome:
    """Look for the counterexample that the mutant of a property must have.

    Raises
    ------
    TsujiError
        If the text that the mutant replaces does not occur exactly once, the result cannot be elaborated, or a tool
        fails.
    """
    fault = item.mutant
    with mutated(item.name, fault.file, fault.old, fault.new) as folder:
        text = run_in(folder, item.name, ["-m", "synth.formal.write", item.name])
    return _run(f"{item.name} (mutant)", text, item, "bmc", item.mutant_depth, timeout)


def rtlil_text(item: Property, strengthened: bool) -> str:
    """Return a property as RTLIL for Yosys, with (`strengthened`) or without its invariants."""
    proof = Proof(strengthened)
    item.write(proof)
    text: str = rtlil.convert(proof.m, name="top", ports=[])
    return text


def _run(name: str, text: str, item: Property, mode: str, depth: int, timeout: int) -> Outcome:
    folder = FOLDER / "".join(letter if letter.isalnum() else "_" for letter in name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "top.il").write_text(text, encoding="utf-8")
    options = "--syn " if item.gates else ""
    script = _SCRIPT.format(mode=mode, depth=depth, timeout=timeout, options=options)
    (folder / "top.sby").write_text(script, encoding="utf-8")
    begun = time.perf_counter()
    done = toolchain.sby().run(["-f", "top.sby"], cwd=folder, log=folder / "sby.log", check=False)
    if done.returncode not in _VERDICTS:
        tail = "\n".join(done.stdout.splitlines()[-15:])
        raise TsujiError(f"{name}: SymbiYosys failed with exit code {done.returncode} in {folder}:\n{tail}")
    traces = sorted(folder.glob("top/engine_0/trace*.vcd"))
    return Outcome(_VERDICTS[done.returncode], time.perf_counter() - begun, traces[0] if traces else None)
