"""Messages of ranks on one network advanced by several threads (`run.threads`) beside one thread.

    python -m benchmarks.threads_ranks [--threads 2] [--times 3] [RUN ...]

Wall-clock seconds of runs, compilation left out: an all-to-all of 512 ranks, as a program in Python, and a trace of 256
ranks. Runs with one thread and with several take turns; the fastest of each is shown. Each must take the same time on
the network, and the same flits over each link.
"""

from __future__ import annotations

from typing import Any

import tsuji
from benchmarks.threads import Run, compare, options
from sim.files.shared_folder import shared_folder
from sim.workload.result import WorkloadResult
from synth.mutated import ROOT

TORUS = {
    "topology": {"kind": "torus", "radix": [16, 16]},
    "switch": {"routing": "dimension_order", "vcs": 4, "depth": 16},
}


def _settings(threads: int) -> dict[str, Any]:
    return {"run.specialise": False, "run.threads": threads}


def _outcome(result: WorkloadResult) -> tuple[float, dict[str, Any]]:
    """Return the seconds of a run, and what must be the same with any number of threads."""
    document = result.document()
    return result.wall_s, {key: document[key] for key in ("run_time_ns", "ranks", "packets", "flits", "links")}


def _all_to_all(threads: int) -> tuple[float, dict[str, Any]]:
    program, network = ROOT / "examples/mpi/alltoall_pairwise.py", ROOT / "examples/alltoall8x8x8.toml"
    return _outcome(tsuji.mpi(program, 512, network, _settings(threads), slow_down=False)[0])


def _trace(threads: int) -> tuple[float, dict[str, Any]]:
    trace = shared_folder("traces") / "mg.A.256.4it.tar.zst"
    return _outcome(tsuji.replay(trace, TORUS, _settings(threads), slow_down=False))


RUNS: dict[str, Run] = {"alltoall512": _all_to_all, "mg.A.256": _trace}


def main() -> None:
    """Measure and print."""
    given = options("benchmarks.threads_ranks", __doc__, RUNS, 3)
    compare({name: RUNS[name] for name in given.runs or RUNS}, given.threads, given.times)


if __name__ == "__main__":
    main()
