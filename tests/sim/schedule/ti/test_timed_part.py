"""The timed part of a trace: what lies between two actions of each rank."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.errors import TsujiError
from sim.papers.cache_applications import KERNELS
from sim.schedule.files import open_schedule
from sim.schedule.operations import CALC
from sim.schedule.ti.timed_part import Mark, TimedPart
from sim.schedule.ti.trace import TiTrace, TraceOptions
from tests.shared_files import shared_file
from tests.sim.schedule.ti.traces import column, graph, in_turn, write

ACTIONS = "compute 10; barrier; compute 20; barrier; compute 30; reduce 1 0 0 0; compute 40; reduce 1 0 0 0; compute 50"


@pytest.mark.parametrize(
    ("begin", "end", "times"),
    [
        (None, None, [10, 20, 30, 40, 50]),
        ("barrier", None, [20, 30, 40, 50]),
        ("barrier 2", "reduce 1", [30]),
        ("barrier 1", "reduce 2", [20, 30, 40]),
        ("reduce 1", "reduce 1", [40]),
        (None, "barrier 2", [10, 20]),
    ],
)
def test_what_lies_between_two_actions(tmp_path: Path, begin: str | None, end: str | None, times: list[int]) -> None:
    part = TimedPart(*(None if text is None else Mark.parse(text) for text in (begin, end)))
    blocks = in_turn(TiTrace(write(tmp_path / "t", *[ACTIONS] * 4), TraceOptions(flops=1e9, part=part)))
    for rank in blocks:
        assert [row[2] for row in graph(rank) if row[0] == CALC] == times


def test_neither_mark_belongs_to_the_part(tmp_path: Path) -> None:
    part = TimedPart(Mark("barrier", 2), Mark("reduce", 1))
    blocks = in_turn(TiTrace(write(tmp_path / "t", *[ACTIONS] * 4), TraceOptions(flops=1e9, part=part)))
    assert [[row[0] for row in graph(rank)] for rank in blocks] == [[CALC]] * 4  # no message of a barrier or reduce


def test_lines_keep_their_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "compute 10; barrier; compute -1")
    with pytest.raises(TsujiError, match=r"rank0000\.txt:4: .*compute -1|:4: `0 compute -1`"):
        in_turn(TiTrace(path, TraceOptions(part=TimedPart(Mark("barrier", 1)))))


def test_what_is_cut_off_is_not_waited_for(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "irecv 0 1 1 0; barrier; wait 0 0 1")
    with pytest.raises(TsujiError, match=r"no such message was started"):
        in_turn(TiTrace(path, TraceOptions(part=TimedPart(Mark("barrier", 1)))))


def test_results_name_the_part(tmp_path: Path) -> None:
    path = write(tmp_path / "t", *[ACTIONS] * 2)
    assert TiTrace(path).source == str(path)
    part = TimedPart(Mark("barrier", 2), Mark("reduce", 1))
    assert TiTrace(path, TraceOptions(part=part)).source == f"{path}, from barrier 2, until reduce 1"


def test_refusals(tmp_path: Path) -> None:
    path = write(tmp_path / "t", *[ACTIONS] * 2)
    for part, said in (
        (TimedPart(Mark("barrier", 3)), r"2 of `barrier` where the part needs 3"),
        (TimedPart(Mark("barrier", 2), Mark("barrier", 1)), r"0 of `barrier` where the part needs 1"),
    ):
        with pytest.raises(TsujiError, match=said):
            in_turn(TiTrace(path, TraceOptions(part=part)))
    for text in ("", "barrier 0", "barrier two", "2 barrier"):
        with pytest.raises(TsujiError, match="no action of a trace; write one such as `barrier 2`"):
            Mark.parse(text)
    for text in ("init 1", "finalize"):
        with pytest.raises(TsujiError, match=r"a part of a trace always has (init|finalize)"):
            Mark.parse(text)
    goal = tmp_path / "a.goal"
    goal.write_text("num_ranks 1\nrank 0 {\nl1: calc 5\n}\n")
    with pytest.raises(TsujiError, match=r"a\.goal: a part can only be taken of a time-independent trace"):
        open_schedule(goal, TraceOptions(part=TimedPart(Mark("barrier", 1))))


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_benchmark_calculates_in_its_timed_part_what_its_statistics_say(kernel: str) -> None:
    """What the traces' `ops.json` counts; of IS it ends with the last exchange, ours with the calculation behind."""
    statistics = json.loads(shared_file("traces", "ops.json").read_text(encoding="utf-8"))
    name = next(each for each in statistics if each.startswith(f"{kernel.lower()}.A.64."))
    blocks = in_turn(
        TiTrace(shared_file("traces", f"{name}.tar.zst"), TraceOptions(flops=1e9, part=KERNELS[kernel][2]))
    )
    kind, size = column(blocks, "kind"), column(blocks, "size")
    told = statistics[name]["compute_timed"]
    assert told <= size[kind == CALC].sum() * 1.001 <= (1.1 if kernel == "IS" else 1.002) * told
