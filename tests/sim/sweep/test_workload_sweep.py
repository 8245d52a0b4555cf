"""Sweeps of programs, schedules and traces: points, figures, resuming, error messages, pictures."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

import tsuji
from models.errors import TsujiError
from sim.plot.workload_sweep import curves, key_along
from sim.sweep import sweep as sweeping
from sim.sweep.axes import parse
from sim.sweep.workload import Work, WorkloadPoint, WorkloadSummary, workload_points
from tsuji.cli import main

ROOT = Path(__file__).parents[3]
GOAL = ROOT / "examples" / "goal" / "ring_allreduce.goal"
PROGRAM = ROOT / "examples" / "mpi" / "ping_pong.py"
TORUS = ROOT / "examples" / "workload_torus4x4x4.toml"
RING = {
    "topology": {"kind": "torus", "radix": [8]},
    "switch": {"routing": "dimension_order"},
    "run": {"specialise": False},
}


def test_every_key_of_the_network_and_of_the_run() -> None:
    """A run equals `replay` with the same values; one row per point, one column per key or figure."""
    over = {"workload.send_overhead": [0, 700], "mapping": ["linear", "random:3"]}
    frame = tsuji.sweep(RING, over, workload=GOAL)
    assert frame[["workload.send_overhead", "mapping"]].values.tolist() == [
        [0, "linear"], [0, "random:3"], [700, "linear"], [700, "random:3"]
    ]  # fmt: skip
    alone = tsuji.replay(GOAL, RING, {"workload.send_overhead": 700})
    assert frame["run_time_ns"][2] == alone.run_time_ns
    assert frame["slow_down"][2] == alone.slow_down
    assert frame["messages"].unique().tolist() == [alone.messages]
    assert frame["mean_wait_ns"][2] == alone.frame()["wait_ns"].mean()
    assert alone.links is not None
    assert frame["link_busy_max"][2] == alone.links["busy"].max()
    assert frame["run_time_ns"][1] > frame["run_time_ns"][0]  # neighbours in the ring are on distant nodes


def test_programs_ranks_and_algorithms(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from mpi4py import MPI\nMPI.COMM_WORLD.allreduce(1, bytes=64)\nprint('not shown')\n")
    over = {"ranks": [4, 8], "collective.allreduce": ["ring", "recursive_doubling"]}
    frame = tsuji.sweep(RING, over, workload=program, slow_down=False)
    assert frame["messages"].tolist() == [4 * 6, 4 * 2, 8 * 14, 8 * 3]
    assert frame["collective.allreduce"].tolist() == ["ring", "recursive_doubling"] * 2
    assert "slow_down" not in frame


def test_finished_points_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A point is run once, and again only if its file, a value or an algorithm has changed."""
    copy = tmp_path / "ring.goal"
    copy.write_bytes(GOAL.read_bytes())
    settings = ["topology.kind=torus", "topology.radix=[8]", "switch.routing=dimension_order", "run.specialise=false"]

    def points(**options: object) -> list[WorkloadPoint]:
        work = Work(copy, slow_down=False, **options)  # type: ignore[arg-type]
        return workload_points(None, settings, [parse("workload.packet_bytes=64,128")], work)

    first = sweeping.run(points(), tmp_path / "kept", 1)
    ran: list[str] = []
    simulate = WorkloadPoint.simulate

    def noted(point: WorkloadPoint) -> WorkloadSummary:
        ran.append(point.name)
        return simulate(point)

    monkeypatch.setattr(WorkloadPoint, "simulate", noted)
    assert sweeping.run(points(), tmp_path / "kept", 1) == first
    assert not ran
    for name, options in (("mapping", {"mapping": "random:1"}), ("algorithm", {"collectives": {"allreduce": "ring"}})):
        sweeping.run(points(**options), tmp_path / "kept", 1)
        assert len(ran) == 2, name
        ran.clear()
    copy.write_text(copy.read_text() + "/* changed */\n")
    sweeping.run(points(), tmp_path / "kept", 1)
    assert len(ran) == 2


@pytest.mark.parametrize(
    ("work", "axis", "message"),
    [
        (Work(Path("nothing.goal")), "mapping=linear", "nothing.goal: no such file"),
        (Work(PROGRAM), "mapping=linear", "ranks = 0: must be a whole number"),
        (Work(PROGRAM, 2), "ranks=0,2", "ranks = 0: must be a whole number"),
        (Work(PROGRAM, 65), "mapping=linear", "65 ranks: 64 nodes of 1 network interface take 64"),
        (Work(GOAL), "ranks=2,4", "ranks = 2: "),
        (Work(GOAL, 4), "mapping=linear", "ranks, arguments: "),
        (Work(PROGRAM, 2), "mapping=nowhere", "mapping nowhere: neither a file nor one of"),
        (Work(PROGRAM, 2), "collective.allreduce=tree", "allreduce"),
        (Work(PROGRAM, 2, ideal="Q=3"), "mapping=linear", "ideal Q=3"),
        (Work(GOAL), "workload.nothing=1", "workload.nothing"),
    ],
)
def test_points_that_cannot_be_run_are_refused_before_any_runs(work: Work, axis: str, message: str) -> None:
    with pytest.raises(TsujiError, match=re.escape(message)) as error:
        workload_points(TORUS, [], [parse(axis)], work)
    assert "in the point" in str(error.value)
    assert error.value.exit_code == 2


def test_curves_are_along_the_last_key_that_differs() -> None:
    values = [{"a": a, "b": b, "c": "1"} for a in ("x", "y") for b in ("10", "9")]
    results = [WorkloadSummary({}, {"run_time_ns": float(number)}) for number in range(4)]
    assert key_along(values) == "b"
    drawn = curves(values, results, "b")
    assert [(name, texts) for name, texts, _ in drawn] == [("a = x, c = 1", ["9", "10"]), ("a = y, c = 1", ["9", "10"])]
    assert [result.figures["run_time_ns"] for result in drawn[0][2]] == [1.0, 0.0]


def test_the_command_draws_unless_told_where(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--over", "workload.send_overhead=0:500:250", "--csv", "t.csv", "--json", "t.json", "--workers", "1"]
    settings = ["--set", "run.specialise=false"]
    monkeypatch.setattr(sys, "argv", ["tsuji", "sweep", str(TORUS), "--workload", str(GOAL), *options, *settings])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    assert "run µs" in capsys.readouterr().out
    assert (tmp_path / "build/sweep/workload_torus4x4x4-ring_allreduce/sweep.png").stat().st_size > 10_000
    times = pd.read_csv("t.csv")["run_time_ns"].tolist()
    assert times == sorted(times)
    assert len(set(times)) == 3
    assert json.loads(Path("t.json").read_text())["over"] == {"workload.send_overhead": ["0", "250", "500"]}


def test_options_of_workloads_need_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["tsuji", "sweep", str(TORUS), "--over", "switch.vcs=2,4", "--ranks", "4"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "--ranks: needs a program or trace; name it with --workload" in capsys.readouterr().err


def test_rank_files_of_a_list_are_part_of_a_point(tmp_path: Path) -> None:
    for rank in range(2):
        (tmp_path / f"rank{rank}.txt").write_text(f"{rank} init\n{rank} compute 1e6\n{rank} finalize\n")
    path = tmp_path / "ranks"
    path.write_text("rank0.txt\nrank1.txt\n")
    times = []
    for flops in ("1e6", "1e9"):
        (tmp_path / "rank0.txt").write_text(f"0 init\n0 compute {flops}\n0 finalize\n")
        frame = tsuji.sweep(RING, {"mapping": ["linear"]}, workload=path, directory=tmp_path / "points")
        times += frame["run_time_ns"].tolist()
    assert times == [1e5, 1e8]
