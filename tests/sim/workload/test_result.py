"""Figures of workloads: each job's own, latencies of messages, and what the ratio to the ideal network is called."""

import sys
from pathlib import Path

import numpy as np
import pytest

from sim.schedule.job import Job
from sim.schedule.operations import CALC, RECV, SEND
from sim.workload.replay import replay
from tests.sim.workload.networks import config, schedule
from tests.sim.workload.test_network_executor import lone
from tsuji.cli import main

RING = Path(__file__).parents[3] / "examples" / "goal" / "ring_allreduce.goal"
TORUS = RING.parents[1] / "workload_torus4x4x4.toml"
PAIR = schedule([(SEND, 1, 80, 7, [])], [(RECV, 0, 80, 7, [])])
LONG = schedule([(CALC, 0, 3000, 0, []), (SEND, 1, 160, 7, [0])], [(RECV, 0, 160, 7, [])])


def test_each_job_has_its_own_figures():
    """As if it ran alone, where jobs are apart: the first on nodes 0 and 1, the second on 4 and 6."""
    where = [np.array([0, 1]), np.array([4, 6])]
    together = replay([Job(PAIR, where[0]), Job(LONG, where[1], start_ns=500)], config()).by_job()
    assert together["ranks"].tolist() == [2, 2]
    for number, each in enumerate((Job(PAIR, where[0]), Job(LONG, where[1]))):
        alone = replay([each], config())
        row = together.iloc[number]
        assert row["run_time_ns"] == alone.run_time_ns
        assert row["slow_down"] == alone.slow_down
        assert row["message_latency_ns"] == alone.message_latency_ns
        assert row["mean_wait_ns"] == alone.ranks.wait.mean()
    assert together["run_time_ns"][1] > together["run_time_ns"][0] + 2000


@pytest.mark.parametrize(("hops", "node"), [(2, 1), (3, 2), (4, 3)])
def test_the_latency_of_a_lone_message_is_that_of_its_packet(hops, node):
    result = replay([Job(PAIR, np.array([0, node]))], config())
    assert result.message_latency_ns == lone(hops, 10)


def test_a_rendezvous_waits_for_its_receiver():
    waits = schedule([(SEND, 1, 80, 7, [])], [(CALC, 0, 9000, 0, []), (RECV, 0, 80, 7, [0])])
    eager, rendezvous = (replay([Job(waits)], config(f"workload.eager_bytes={most}")) for most in (1000, 10))
    assert rendezvous.message_latency_ns > 9000 > eager.message_latency_ns


def call(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["tsuji", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    return capsys.readouterr()


def test_a_ratio_below_one_is_explained(monkeypatch, capsys):
    """Neighbours of a torus are nearer to each other than the mean distance."""
    said = call(monkeypatch, capsys, "replay", RING, TORUS)
    assert "run time ÷ ideal" in said.out
    assert "slow-down" not in said.out
    assert "is below 1: the ideal network has no contention, but gives every message the latency" in said.err
    near = call(monkeypatch, capsys, "replay", RING, TORUS, "--ideal", "L=0,o=0,g=0,G=0")
    assert "below 1" not in near.err


def test_jobs_have_a_table(monkeypatch, capsys, tmp_path):
    said = call(monkeypatch, capsys, "replay", RING, TORUS, "--and", f"{RING}@500", "--json", tmp_path / "a.json")
    rows = [line.split() for line in said.out.splitlines() if line.lstrip().startswith("ring_allreduce.goal")]
    assert [row[1] for row in rows] == ["8", "8"]
    assert '"jobs": [' in (tmp_path / "a.json").read_text()
    assert "ring_allreduce.goal " not in call(monkeypatch, capsys, "replay", RING, TORUS).out
