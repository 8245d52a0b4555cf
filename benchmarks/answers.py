"""CPU time until an answer: whole commands, start-up included, with all compiled code on disk.

`python -m benchmarks.answers [--beside DIR] [--cold]` runs each command several times, the least CPU time counts;
with `--beside` alternately with those of another clone. `--cold` also times a run that compiles its engine.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TORUS = "examples/torus8x8.toml"
MESH = "examples/booksim/mesh88.cfg"
RATES = [f"{rate / 100:.2f}" for rate in range(1, 21)]
WARM = "warm point"
COMMANDS = {
    WARM: [["run", TORUS]],
    "20 BookSim2 rates, 20 commands": [["booksim", MESH, f"injection_rate={rate}"] for rate in RATES],
    "20 BookSim2 rates, one command": [["booksim", MESH, "--over", f"injection_rate={','.join(RATES)}"]],
    "20 points, two workers": [
        ["sweep", TORUS, "--over", "traffic.load=0.01:0.2:0.01", "--workers", "2", "--dir", "{}"],
    ],
    "20 points, one worker": [
        ["sweep", TORUS, "--over", "traffic.load=0.01:0.2:0.01", "--workers", "1", "--dir", "{}"]
    ],
}


class Spent(NamedTuple):
    """Seconds of commands: CPU time of all their processes, and wall-clock time."""

    cpu: float
    wall: float


def spend(commands: list[list[str]], root: Path, **environment: str) -> Spent | None:
    """Run `tsuji` commands of the clone at `root`; return None if it has no such option."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    for command in commands:
        with TemporaryDirectory() as folder:
            done = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    "from tsuji.cli import main; main()",
                    *(each.format(folder) for each in command),
                ],
                cwd=root,
                env=os.environ | {"PYTHONPATH": str(root)} | environment,
                capture_output=True,
                check=False,
            )
        if done.returncode:
            return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        time.monotonic() - begun,
    )


def least(commands: list[list[str]], roots: list[Path], rounds: int) -> list[Spent | None]:
    """Run commands of several clones alternately; return the least CPU time of each clone."""
    found: list[list[Spent | None]] = [[spend(commands, root) for root in roots] for _ in range(rounds)]
    return [min((each for each in column if each), default=None) for column in zip(*found, strict=True)]


def _text(spent: Spent | None) -> str:
    return f"{spent.cpu:6.2f} CPU s" if spent else "no such option"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=__doc__)
    parser.add_argument("--beside", type=Path, metavar="DIR", help="another clone, with the same environment")
    parser.add_argument("--cold", action="store_true", help="also a run that compiles its engine")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each command (%(default)s)")
    chosen = parser.parse_args()
    if chosen.beside and not (chosen.beside / "tsuji" / "cli").exists():
        parser.error(f"--beside {chosen.beside}: no clone of this project is there")
    if chosen.rounds < 1:
        parser.error(f"--rounds {chosen.rounds}: must be at least 1")
    roots = [ROOT, *([chosen.beside.resolve()] if chosen.beside else [])]
    for name, commands in COMMANDS.items():
        for root in roots:
            spend(commands[:1], root)  # compiles what is not on disk
        print(f"{name:32}", *map(_text, least(commands, roots, chosen.rounds)), sep="  ", flush=True)
    if chosen.cold:
        for root in roots:
            with TemporaryDirectory() as folder:
                spent = spend(COMMANDS[WARM], root, XDG_CACHE_HOME=folder)
            assert spent
            print(f"first point, {spent.cpu:.1f} CPU s, {spent.wall:.1f} s", flush=True)


if __name__ == "__main__":
    main()
