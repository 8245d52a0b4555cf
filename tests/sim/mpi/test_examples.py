"""Every program in examples/mpi runs, on any number of ranks; the three all-to-all programs send the right messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sim.mpi.programs import recorded_and_replayed, run

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples" / "mpi").glob("*.py"))


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("ranks", [2, 5, 8])
def test_it_runs(program: Path, ranks: int) -> None:
    result, _ = run(program, ranks)
    assert result.run_time_ns > 0
    if program.stem.startswith("alltoall_"):
        assert (result.messages, result.bytes) == (ranks * (ranks - 1), 2048 * ranks * (ranks - 1))


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_its_trace_takes_the_same_time(tmp_path: Path, program: Path) -> None:
    ended, replayed = recorded_and_replayed(program, 6, tmp_path / "trace")
    # In a trace, messages of nonblocking collectives have an order among the rank's others, which a program's have not.
    tolerance = 0.01 if program.stem == "conjugate_gradient" else 0
    assert replayed == pytest.approx(ended, rel=tolerance, abs=0)


def test_there_are_all_that_were_asked_for() -> None:
    assert len(EXAMPLES) >= 15
