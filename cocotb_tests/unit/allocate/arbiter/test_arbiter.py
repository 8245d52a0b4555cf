import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.allocate.arbiter import arbiter

COUNTS = {"round_robin": (1, 2, 3, 4, 5, 8, 9, 16), "matrix": (1, 2, 5, 16)}


@pytest.mark.parametrize("prefer", [False, True], ids=["plain", "prefer"])
# Round robin has three implementations: up to 4 requesters, up to 8, and above.
@pytest.mark.parametrize(
    ("kind", "count"),
    tiered(
        [(kind, count) for kind, counts in COUNTS.items() for count in counts],
        [("round_robin", 1), ("round_robin", 4), ("round_robin", 8), ("round_robin", 9), ("matrix", 1), ("matrix", 5)],
    ),
)
def test_arbiter(kind: str, count: int, prefer: bool) -> None:
    parameters = {"kind": kind, "count": count, "prefer": prefer}
    case = f"{kind} of {count}{', preferring' if prefer else ''}"
    design = arbiter(kind, count, prefer)
    run_bench(design, "cocotb_tests.unit.allocate.arbiter.bench", case, parameters, cycles=3000)


def test_traffic_goes_on_until_every_bin_is_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSUJI_SEED", "1")  # the time until the bins are hit depends on the seed
    parameters = {"kind": "round_robin", "count": 4, "prefer": False}
    bench = "cocotb_tests.unit.allocate.arbiter.bench"
    report = run_bench(arbiter("round_robin", 4, False), bench, "begins short", parameters, cycles=20)
    assert 20 < report.cycles < 400
    assert not report.missed
