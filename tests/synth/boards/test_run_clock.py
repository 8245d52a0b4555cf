"""Clock of a run."""

from hdl.node.traffic_hash import LATENCY
from synth.boards.run_clock import RunClock
from tests.synth.boards.simulated import run_cycles


def test_two_runs():
    """Cycle 0 is the first without reset; draws run ahead by the latency of the hash, and end."""

    def stimulus(cycle: int) -> dict[str, int]:
        return {"rst": cycle == 0, "hold": cycle < 5 or 30 <= cycle < 40, "stop": 10 if cycle < 35 else 12}

    seen = run_cycles(RunClock(), 70, stimulus, ["reset", "now", "draw", "ahead"])
    for begin, end, stop in ((5, 30, 10), (40, 70, 12)):
        first = next(k for k in range(begin, end) if not seen[k]["reset"])
        assert [row["now"] for row in seen[first : end + 1]] == list(range(end + 1 - first))[
            : len(seen[first : end + 1])
        ]
        drawn = [(k, row["ahead"]) for k, row in enumerate(seen[begin:end], begin) if row["draw"]]
        assert drawn == [(first - LATENCY + cycle, cycle) for cycle in range(stop)]
    assert all(row["reset"] for row in [*seen[:5], *seen[31:40]])


def test_it_runs_without_having_been_held():
    seen = run_cycles(RunClock(), 20, lambda cycle: {"rst": 0, "hold": 0, "stop": 3}, ["reset", "now"])
    first = next(k for k in range(20) if not seen[k]["reset"])
    assert [row["now"] for row in seen[first:]] == list(range(20 - first))
