"""Messages of ranks on one network advanced by several threads (`run.threads`) beside one thread.

    python -m benchmarks.threads_ranks [--threads 2] [--times 3] [RUN ...]

Wall-clock seconds of runs, compilation left out: an all-to-all of 512 ranks, as a program in Python, and a trace of 256
ranks. Runs with one thread and with several take turns; the fastest of each is shown. Each must take the same time on
the network, and the same flits over each link.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

import tsuji
from sim.files.shared_folder import shared_folder
from sim.workload.result import WorkloadResult
from synth.mutated import ROOT

PLAIN = {"run.specialise": False}


def _alltoall(threads: int) -> WorkloadResult:
    program, network = ROOT / "examples/mpi/alltoall_pairwise.py", ROOT / "examples/alltoall8x8x8.toml"
    return tsuji.mpi(program, 512, network, {**PLAIN, "run.threads": threads}, slow_down=False)[0]


def _trace(threads: int) -> WorkloadResult:
    network = {
        "topology": {"kind": "torus", "radix": [16, 16]},
        "switch": {"routing": "dimension_order", "vcs": 4, "depth": 16},
    }
    return tsuji.replay(
        shared_folder("traces") / "mg.A.256.4it.tar.zst", network, {**PLAIN, "run.threads": threads}, slow_down=False
    )


RUNS: dict[str, Callable[[int], WorkloadResult]] = {"alltoall512": _alltoall, "mg.A.256": _trace}


def measure(name: str, threads: int, times: int) -> tuple[float, float]:
    """Return the least seconds with one thread and with several.

    Raises
    ------
    RuntimeError
        If they differ in any figure.
    """
    found: dict[int, list[float]] = {1: [], threads: []}
    figures = []
    for _ in range(times):
        for count, seconds in found.items():
            result = RUNS[name](count)
            seconds.append(result.wall_s)
            document = result.document()
            figures.append({key: document[key] for key in ("run_time_ns", "ranks", "packets", "flits", "links")})
    if any(each != figures[0] for each in figures):
        raise RuntimeError(f"{name}: one thread and {threads} differ")
    return min(found[1]), min(found[threads])


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.threads_ranks", description=__doc__)
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--times", type=int, default=3, help="runs of each; the fastest is shown")
    arguments.add_argument("runs", nargs="*", metavar="RUN", help=", ".join(RUNS))
    given = arguments.parse_args()
    names = given.runs or list(RUNS)
    if unknown := [name for name in names if name not in RUNS]:
        arguments.error(f"no run {', '.join(unknown)}; there are {', '.join(RUNS)}")
    print(f"tsuji {tsuji.__version__}, {os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f} before")
    print("run           one thread  threads  seconds  times as fast")
    for name in names:
        one, several = measure(name, given.threads, given.times)
        print(f"{name:12}  {one:9.2f}s  {given.threads:7}  {several:6.2f}s  {one / several:13.2f}")
    print(f"load average {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
