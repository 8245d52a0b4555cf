"""Replays every trace of the NAS Parallel Benchmarks on a torus, checks the messages sent, and prints the times.

`python -m benchmarks.traces [NAME …] [--traces DIR]`: each trace is replayed on a 3-D torus, with a compute time of 0,
in a process of its own with `--limit` seconds of CPU time; results are kept, so that an interrupted campaign can
resume. Checks: messages and bytes between ranks against the statistics of the traces, those of collectives against the
closed forms of their algorithms, and, with `--twice`, that a second run is identical, bit for bit.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import combinations_with_replacement
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from models.errors import TsujiError
from sim.config import Config, load
from sim.files import shared_folder
from sim.lib.clock import cpu_s
from sim.measure.result import write_json
from sim.messages.tags import COLLECTIVE_TAG
from sim.schedule.operations import SEND
from sim.schedule.ti.trace import TiTrace
from sim.schedule.ti.trace_files import TraceFiles
from sim.schedule.ti.types import TYPE_SIZES
from sim.sweep.sweep import name_of
from sim.sweep.workload import Work
from synth.stamp import campaign_line

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "examples" / "workload_torus4x4x4.toml"
KEPT = ROOT / "build" / "campaign" / "traces"
SHAPES = {64: (4, 4, 4), 256: (8, 8, 4)}
NO_COMPUTE = ("workload.compute_scale=0", "workload.send_overhead=0", "workload.receive_overhead=0")
REPEATED = 120.0  # longest run that is repeated, seconds
FLOW = re.compile(r"(\w+\.\w\.\d+\.\d+it) ([\d,]+)(?: µs)? \(([\d.]+)(?: s)?\)")


@dataclass(frozen=True)
class Volume:
    """Messages and bytes: of programs, and of collectives."""

    messages: int = 0
    bytes: int = 0
    collective_messages: int = 0
    collective_bytes: int = 0


def shape(ranks: int) -> tuple[int, ...]:
    """Return the radices of the smallest 3-D torus with at least `ranks` nodes; of several the most cubic."""
    if ranks in SHAPES:
        return SHAPES[ranks]
    sizes = range(2, ranks // 4 + 2)
    fitting = (each for each in combinations_with_replacement(sizes, 3) if prod(each) >= ranks)
    return min(fitting, key=lambda each: (prod(each), max(each) - min(each)))


def scheduled(trace: TiTrace) -> Volume:
    """Return the messages of a schedule, except those to the own rank; tags distinguish those of collectives."""
    found = Volume()
    for rank in range(trace.ranks):
        for block in trace.blocks(rank):
            sends = (block.kind == SEND) & (block.peer != rank)
            shared = sends & (block.tag >= COLLECTIVE_TAG)
            own = sends & (block.tag < COLLECTIVE_TAG)
            found = Volume(
                found.messages + int(own.sum()),
                found.bytes + int(block.size[own].sum()),
                found.collective_messages + int(shared.sum()),
                found.collective_bytes + int(block.size[shared].sum()),
            )
    return found


def to_oneself(trace: TiTrace) -> Volume:
    """Return the messages that ranks send to themselves."""
    messages = total = 0
    for rank in range(trace.ranks):
        for block in trace.blocks(rank):
            own = (block.kind == SEND) & (block.peer == rank)
            messages, total = messages + int(own.sum()), total + int(block.size[own].sum())
    return Volume(messages, total)


def closed_forms(lines: Iterator[list[str]], ranks: int) -> tuple[int, int]:
    """Return messages and bytes of the collectives in the traces' lines, by the default algorithms.

    n ranks, b bytes; textbook forms (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations
    in MPICH, 2005): barrier by dissemination n·⌈log2 n⌉ empty messages; broadcast and reduction by binomial trees
    n − 1 messages of b; allreduce by recursive doubling n·log2 n of b, n a power of two; all-to-all by pairwise
    exchange n·(n − 1) of b.
    """
    logarithm = (ranks - 1).bit_length()
    messages = size = 0  # summed over lines of ranks: n lines for a collective that all n ranks call
    for word, *rest in lines:
        if word == "barrier":
            messages += ranks * logarithm
        elif word in ("bcast", "reduce"):
            count, kind = int(rest[0]), rest[-1]
            messages += ranks - 1
            size += (ranks - 1) * count * TYPE_SIZES[int(kind)]
        elif word == "allreduce":
            assert ranks & (ranks - 1) == 0
            messages += ranks * logarithm
            size += ranks * logarithm * int(rest[0]) * TYPE_SIZES[int(rest[-1])]
        elif word == "alltoall":
            messages += ranks * (ranks - 1)
            size += ranks * (ranks - 1) * int(rest[0]) * TYPE_SIZES[int(rest[2])]
        elif word == "alltoallv":
            own, counts = int(rest[0]), np.array(rest[2 : 2 + ranks], np.int64)
            messages += ranks * (ranks - 1)
            size += ranks * int(counts.sum() - counts[own]) * TYPE_SIZES[int(rest[-2])]
    assert messages % ranks == size % ranks == 0
    return messages // ranks, size // ranks


def collective_lines(path: Path) -> Iterator[list[str]]:
    """Yield the words of the lines of collectives without the rank; for alltoallv, the rank precedes the counts."""
    files = TraceFiles(path)  # temporary files are removed with it
    for rank, file in enumerate(files.files):
        for line in Path(file).read_text().splitlines():
            words = line.split()
            if len(words) > 1 and words[1] in ("barrier", "bcast", "reduce", "allreduce", "alltoall"):
                yield words[1:]
            elif len(words) > 1 and words[1] == "alltoallv":
                yield ["alltoallv", str(rank), *words[2:]]


def checked(path: Path, statistics: dict[str, Any]) -> tuple[int, int]:
    """Return the messages and bytes of a trace, those to the own rank included.

    Raises
    ------
    TsujiError
        If they differ from its statistics, or from the closed forms.
    """
    trace = TiTrace(path)
    found = scheduled(trace)
    wanted = Volume(
        statistics["p2p_sends"], statistics["p2p_bytes"], *closed_forms(collective_lines(path), trace.ranks)
    )
    if found != wanted:
        raise TsujiError(f"{path.name}: {found}: expected {wanted}")
    own = to_oneself(TiTrace(path))
    if own.messages != statistics["self_sends"]:
        raise TsujiError(f"{path.name}: {own.messages} messages to oneself: expected {statistics['self_sends']}")
    return (
        found.messages + found.collective_messages + own.messages,
        found.bytes + found.collective_bytes + own.bytes,
    )


def configuration(ranks: int) -> Config:
    """Return the configuration of the torus for `ranks` ranks."""
    return load(CONFIG, [*NO_COMPUTE, f"topology.radix={list(shape(ranks))}"], workload=True)


def statistics_of(folder: Path) -> dict[str, Any]:
    """Return the statistics of the traces in a folder, by trace."""
    told: dict[str, Any] = json.loads((folder / "stats.json").read_text(encoding="utf-8"))
    return told


def replayed(folder: Path, name: str, twice: bool) -> dict[str, Any]:
    """Replay a trace; return its row.

    Raises
    ------
    TsujiError
        If the messages sent are not those of the trace, or the second run differs from the first.
    """
    path = folder / f"{name}.tar.zst"
    statistics = statistics_of(folder)[name]
    config = configuration(statistics["ranks"])
    work = Work(path, slow_down=False)
    begun = cpu_s()
    first = work.run(config)
    seconds = cpu_s() - begun
    messages, size = checked(path, statistics)
    if (first.messages, first.bytes) != (messages, size):
        raise TsujiError(f"{name}: sent {first.messages} messages, {first.bytes} bytes: expected {messages}, {size}")
    same = None
    if twice and seconds <= REPEATED:
        second = work.run(config)
        same = _fingerprint(first) == _fingerprint(second)
        if not same:
            raise TsujiError(f"{name}: the same run again is another one")
    return {
        "trace": name,
        "torus": "×".join(map(str, shape(statistics["ranks"]))),
        "run_time_us": first.run_time_ns / 1000,
        "seconds": seconds,
        "messages": first.messages,
        "flit_hops": first.flit_hops,
        "same": same,
    }


def _fingerprint(result: Any) -> str:
    document = replace(result, wall_s=0.0).document()
    return sha256(json.dumps(document).encode()).hexdigest()


@cache
def flow_level(folder: Path) -> dict[str, tuple[float, float]]:
    """Return simulated µs and run time, s, of the flow-level replay in the traces' README, if any, by trace."""
    readme = folder / "README.md"
    found = FLOW.findall(readme.read_text(encoding="utf-8")) if readme.exists() else []
    return {name: (float(time.replace(",", "")), float(seconds)) for name, time, seconds in found}


def row_text(folder: Path, row: dict[str, Any]) -> str:
    """Return a row of the table, in Markdown."""
    if "error" in row:
        return f"| {row['trace']} | {row['torus']} | {row['error']} | | | | | | |"
    time, seconds = flow_level(folder).get(row["trace"], (None, None))
    rates = row["messages"] / row["seconds"], row["flit_hops"] / row["seconds"] / 1e6
    beside = ("", "", "") if seconds is None else (f"{time:,.0f}", f"{seconds:g}", f"{row['seconds'] / seconds:.1f}")
    twice = {None: "", True: "same", False: "differs"}[row["same"]]
    cells = (row["trace"], row["torus"], f"{row['run_time_us']:,.0f}", f"{row['seconds']:.1f}", f"{rates[0]:,.0f}",
             f"{rates[1]:.2f}", *beside, twice)  # fmt: skip
    return f"| {' | '.join(cells)} |"


HEAD = (
    "| trace | torus | simulated µs | CPU s | messages/s | M flit-hops/s | flow-level µs | its s | ratio | again |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
)


def by_work(statistics: dict[str, Any]) -> list[str]:
    """Return traces in order of their bytes between ranks; those with collectives of unknown size in order of calls."""
    return sorted(statistics, key=lambda name: (statistics[name]["p2p_bytes"], statistics[name]["ranks"]))


def measured(folder: Path, name: str, limit: int, twice: bool) -> dict[str, Any]:
    """Return the row of a trace: the kept one, or that of a replay in a process of its own."""
    ranks = statistics_of(folder)[name]["ranks"]
    work = Work(folder / f"{name}.tar.zst", slow_down=False)
    kept = KEPT / f"{name}-{name_of(configuration(ranks), work.digest())}"
    if kept.exists():
        row: dict[str, Any] = json.loads(kept.read_text())
        return row
    with TemporaryDirectory() as scratch:
        out = Path(scratch) / "row.json"
        command = [sys.executable, "-m", "benchmarks.traces", "--traces", str(folder), "--one", str(out), name]
        command += ["--twice"] if twice else []

        def bound() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))

        done = subprocess.run(command, cwd=ROOT, preexec_fn=bound, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            row = json.loads(out.read_text())
            write_json(row, kept)
            return row
    said = done.stderr.strip().splitlines()[-1:] or [""]
    over = f"not done in {limit} s" if done.returncode < 0 else said[0]
    return {"trace": name, "torus": "×".join(map(str, shape(ranks))), "error": over}


def main() -> None:
    """Replay the named traces, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.traces", description=__doc__)
    parser.add_argument("names", nargs="*", help="traces; all, the smallest first")
    parser.add_argument("--limit", type=int, default=600, help="seconds of CPU time per trace")
    parser.add_argument("--twice", action="store_true", help="run each twice, and compare")
    parser.add_argument(
        "--traces",
        type=Path,
        default=shared_folder.shared_folder(shared_folder.TRACES),
        metavar="DIR",
        help="folder of the traces, stats.json among them; default: %(default)s",
    )
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    try:
        folder = shared_folder.checked_folder(chosen.traces, shared_folder.TRACES, "--traces", "stats.json")
    except TsujiError as error:
        parser.error(str(error))
    if chosen.one:
        write_json(replayed(folder, chosen.names[0], chosen.twice), chosen.one)
        return
    KEPT.mkdir(parents=True, exist_ok=True)
    names = chosen.names or by_work(statistics_of(folder))
    print(HEAD, flush=True)
    rows = []
    for name in names:
        rows.append(measured(folder, name, chosen.limit, chosen.twice))
        print(row_text(folder, rows[-1]), flush=True)
    good = [row for row in rows if "error" not in row]
    print(f"\n{campaign_line('traces', f'{len(good)} of {len(rows)} replayed and checked')}")
    if len(good) < len(rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
