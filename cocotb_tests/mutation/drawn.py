"""`python -m cocotb_tests.mutation.drawn`: faults that a program draws, and which of them the tests notice.

Each fault is one change of one place in a clone of the project; the tests that depend on the file run in it, nearest
first, until one fails or the time is over. Results are kept, so that a run can be interrupted and continued.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable
from functools import partial
from importlib.util import cache_from_source
from pathlib import Path, PurePosixPath
from resource import RLIMIT_CPU, setrlimit
from signal import SIGKILL, SIGXCPU
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cocotb_tests.mutation.candidates import Candidate, candidates
from cocotb_tests.mutation.drawn_record import Tried, add_fault, read_record, summary
from models.errors import TsujiError
from synth.mutated import ROOT
from synth.stamp import campaign_line, commit
from tests.selection import select

SAMPLE = ("hdl", "models", "sim/engine", "sim/messages", "sim/measure", "sim/power", "sim/routing", "sim/schedule")
"""Folders of which faults are drawn."""
RECORD = ROOT / "docs" / "reference" / "drawn_faults.tsv"
BUILD = ROOT / "build" / "drawn"
_SHARED = os.environ.get("TSUJI_SHARED") or str(ROOT.parent / "shared")


class Verdict(NamedTuple):
    """What became of a fault.

    Attributes
    ----------
    fault : str
        The fault in one line.
    killed : bool
        Whether a test failed.
    by : str
        The test, or why there is none.
    """

    fault: str
    killed: bool
    by: str


def drawn(count: int, seed: int, root: Path = ROOT, sample: Iterable[str] = SAMPLE) -> list[Candidate]:
    """Return faults drawn from all candidates of the sample, each with the same probability."""
    paths = sorted(path for folder in sample for path in (root / folder).rglob("*.py"))
    every = [
        each
        for path in paths
        for each in candidates(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    ]
    if count > len(every):
        raise TsujiError(f"--count {count}: must be at most {len(every)}, the number of changes that there are")
    return random.Random(seed).sample(every, count)


def judged(fault: Candidate, clone: Path, within: int) -> Verdict:
    """Return whether the tests of the clone notice a fault.

    Parameters
    ----------
    fault : Candidate
    clone : Path
        A clone of the project, whose file is changed and restored.
    within : int
        Seconds of CPU time after which no more tests begin, so that a busy machine finds the same.

    Raises
    ------
    TsujiError
        If the test that fails fails without the fault, too.
    """
    path = clone / fault.file
    sound = path.read_text(encoding="utf-8")
    tests = [str(test) for test in select([PurePosixPath(fault.file)], clone)]
    if not tests:
        return Verdict(str(fault), killed=False, by="no test depends on it")
    _write(path, fault.applied(sound))
    try:
        done = _tested(clone, ["--within-cpu", str(within), *tests], within)
    except subprocess.TimeoutExpired:
        return Verdict(str(fault), killed=True, by=f"does not end in {10 * within} s")
    finally:
        _write(path, sound)
    if done.returncode in (0, 5):
        return Verdict(str(fault), killed=False, by="")
    if done.returncode in (-SIGXCPU, -SIGKILL):
        return Verdict(str(fault), killed=True, by=f"does not end in {3 * within} s of CPU time")
    by = _failed(done.stdout)
    if by and _tested(clone, [by], within).returncode:
        raise TsujiError(f"{by} fails in {clone} without a fault, too; mend that first")
    ended = "a test crashes" if done.returncode < 0 else "the tests do not start"
    return Verdict(str(fault), killed=True, by=by or ended)


def _write(path: Path, source: str) -> None:
    """Write a module, and remove its bytecode."""
    path.write_text(source, encoding="utf-8")
    # Python tells bytecode from its source by whole seconds and by size, which a fault often leaves as they were.
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def _tested(clone: Path, arguments: list[str], within: int) -> subprocess.CompletedProcess[str]:
    """Run tests of a clone until one fails; each process has three times the CPU time in which tests begin."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not campaign"]
    return subprocess.run(
        [*command, *arguments],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": str(clone), "TSUJI_SHARED": _SHARED},
        capture_output=True,
        text=True,
        check=False,
        timeout=10 * within,  # wall time of a test that waits for ever
        preexec_fn=partial(setrlimit, RLIMIT_CPU, (3 * within, 3 * within)),
    )


def _failed(output: str) -> str:
    """Return the first test that failed; empty if none began."""
    # Before the summary, logs of tests may begin with these words, too.
    summary = output.partition("= short test summary info =")[2]
    lines = [line for line in summary.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return lines[0].split(" - ")[0].partition(" ")[2] if lines else ""


def _cloned(folder: Path) -> Path:
    """Return a clone of the last commit, with what was compiled there before."""
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    if not (folder / ".git").exists():
        subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    subprocess.run(["git", "fetch", "-q", "origin"], cwd=folder, check=True)
    subprocess.run(["git", "checkout", "-q", "--force", told.stdout.strip()], cwd=folder, check=True)
    return folder


def main(
    count: Annotated[int, typer.Option(help="Number of faults, those of the record included.", min=1)] = 200,
    seed: Annotated[int, typer.Option(help="The same seed draws the same faults of the same source.")] = 1,
    within: Annotated[int, typer.Option(help="CPU seconds per fault after which no more tests begin.", min=1)] = 120,
    until: Annotated[
        float, typer.Option(help="Minutes after which no more faults begin; the rest comes next time.")
    ] = 1e9,
    record: Annotated[Path, typer.Option(help="Faults tried so far; those of this run are added.")] = RECORD,
) -> None:
    """Draw faults, run the tests that depend on each, and list the survivors."""
    console = Console(width=None if sys.stdout.isatty() else 120, soft_wrap=True)
    try:
        _run(console, drawn(count, seed), within, until, record)
    except TsujiError as error:
        console.print(f"error: {error}", markup=False, highlight=False)
        raise typer.Exit(2) from None


def _run(console: Console, faults: list[Candidate], within: int, until: float, record: Path) -> None:
    known = {tried.fault for tried in read_record(record)}
    clone = _cloned(BUILD / "clone")
    begun = time.perf_counter()
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("faults", total=len(faults), completed=min(len(known), len(faults)))
        for fault in faults:
            if str(fault) in known:
                continue
            if len(known) >= len(faults) or time.perf_counter() - begun >= 60 * until:
                break
            verdict = judged(fault, clone, within)
            add_fault(record, Tried(verdict.fault, verdict.killed, verdict.by, commit()))
            known.add(verdict.fault)
            progress.advance(task)
    tried = read_record(record)
    for each in tried:
        if not each.killed and not each.judgement:
            console.print(f"survives: {each.fault} {each.by}".rstrip(), markup=False, highlight=False)
    print(campaign_line("drawn", summary(tried)))


if __name__ == "__main__":
    typer.run(main)
