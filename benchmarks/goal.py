"""Slow-downs of GOAL schedules: run time on a torus ÷ run time without contention.

`python -m benchmarks.goal [NAME …] [--goal DIR]` prints a table of all, or of those named, on
`examples/workload_torus4x4x4.toml`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from models.errors import TsujiError
from sim.config import load
from sim.files import shared_folder
from sim.lib.clock import cpu_s
from sim.workload.replay import open_jobs, replay
from synth.stamp import stamp

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "examples" / "workload_torus4x4x4.toml"


def row(path: Path) -> str:
    """Replay a schedule; return its row of the table, in Markdown."""
    begun = cpu_s()
    result = replay(open_jobs([str(path)]), load(CONFIG, [], workload=True))
    assert result.ideal_ranks is not None
    by_rank = result.frame()["slow_down"]
    cells = (
        path.name.partition(".")[0],
        f"{len(by_rank)}",
        f"{result.messages:,}",
        f"{result.run_time_ns / 1000:,.1f}",
        f"{float(result.ideal_ranks.end.max()) / 1000:,.1f}",
        f"{result.slow_down:.3f}",
        f"{by_rank.min():.3f} to {by_rank.max():.3f}",
        f"{cpu_s() - begun:.1f}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.goal", description=__doc__)
    parser.add_argument("names", nargs="*", help="schedules; all, the smallest file first")
    parser.add_argument(
        "--goal",
        type=Path,
        default=shared_folder.shared_folder(shared_folder.GOAL),
        metavar="DIR",
        help="folder of the schedules; default: %(default)s",
    )
    chosen = parser.parse_args()
    try:
        folder = shared_folder.checked_folder(chosen.goal, shared_folder.GOAL, "--goal", "*.goal")
    except TsujiError as error:
        parser.error(str(error))
    paths = sorted((path for path in folder.iterdir() if ".goal" in path.name), key=lambda path: path.stat().st_size)
    print("| schedule | ranks | messages | µs | µs without contention | run time ÷ ideal | of ranks | CPU s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: |", flush=True)
    for path in paths:
        if not chosen.names or path.name.partition(".")[0] in chosen.names:
            print(row(path), flush=True)
    print(f"\n{stamp()}")


if __name__ == "__main__":
    main()
