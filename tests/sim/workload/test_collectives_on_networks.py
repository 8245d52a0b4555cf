"""Collectives of traces on a simulated network send the messages of their algorithms' closed forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.traces import Volume, closed_forms, collective_lines, flow_level, scheduled, shape, to_oneself
from sim.schedule.job import Job
from sim.schedule.ti.trace import TiTrace
from sim.workload.replay import replay
from tests.shared_files import shared_file
from tests.sim.schedule.ti.traces import write
from tests.sim.workload.networks import config

RANKS = 8
COUNTS = [[(3 * rank + to) % 5 for to in range(RANKS)] for rank in range(RANKS)]
# By the default algorithms on eight ranks; messages and bytes, written out by hand.
LINES = {
    "barrier": (8 * 3, 0),
    "bcast 5 2 0": (7, 7 * 40),
    "reduce 5 0 1 0": (7, 7 * 40),
    "allreduce 4 0 0": (8 * 3, 8 * 3 * 32),
    "alltoall 3 3 43 43": (8 * 7, 8 * 7 * 48),
}


def alltoallv(rank: int) -> str:
    """Return the line of a rank; bytes sent and received agree."""
    sent, received = COUNTS[rank], [COUNTS[other][rank] for other in range(RANKS)]
    return f"alltoallv {sum(sent)} {' '.join(map(str, sent))} {sum(received)} {' '.join(map(str, received))} 1 1"


@pytest.mark.parametrize("line", [*LINES, "alltoallv"])
def test_messages_and_bytes(tmp_path: Path, line: str) -> None:
    each = [alltoallv(rank) if line == "alltoallv" else line for rank in range(RANKS)]
    away = sum(COUNTS[rank][to] for rank in range(RANKS) for to in range(RANKS) if rank != to)
    wanted = LINES.get(line, (8 * 7, 4 * away))
    path = write(tmp_path / "t", *each)
    assert closed_forms(collective_lines(path), RANKS) == wanted
    result = replay([Job(TiTrace(path))], config(), slow_down=False)
    assert (result.messages, result.bytes) == wanted
    assert scheduled(TiTrace(path)) == Volume(0, 0, *wanted)


def test_messages_of_programs_and_to_oneself_are_told_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "isend 0 1 3 1; recv 0 1 3 1; send 1 1 5 0; barrier", "recv 0 1 5 0; barrier")
    assert scheduled(TiTrace(path)) == Volume(1, 40, 2, 0)
    assert to_oneself(TiTrace(path)) == Volume(1, 12)


def test_the_smallest_torus_of_three_dimensions() -> None:
    assert [shape(ranks) for ranks in (21, 64, 80, 192, 256)] == [(2, 3, 4), (4, 4, 4), (4, 4, 5), (4, 6, 8), (8, 8, 4)]


def test_flow_level_figures_are_read() -> None:
    figures = flow_level(shared_file("traces", "README.md").parent)
    assert figures["mg.A.64.4it"] == (466.0, 0.9)
    assert len(figures) == 6
