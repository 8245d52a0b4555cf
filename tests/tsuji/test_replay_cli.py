"""`tsuji replay`, as a user meets it, and `tsuji.replay`."""

import json
import sys
from pathlib import Path

import pandas as pd
import pytest

import tsuji
from models.errors import TsujiError
from tests.sim.schedule.ti.traces import write
from tsuji.cli import main

ROOT = Path(__file__).parents[2]
RING = ROOT / "examples" / "goal" / "ring_allreduce.goal"
TORUS = str(ROOT / "examples" / "workload_torus4x4x4.toml")
FEW = {
    "topology": {"kind": "torus", "radix": [8]},
    "switch": {"routing": "dimension_order"},
    "run": {"specialise": False},
}
IDEAL = "L=2500,o=1500,g=1000,G=6,O=0,S=65535"


def call(monkeypatch, capsys, *arguments):
    """Run a command in this process; return its exit code and its standard error."""
    monkeypatch.setattr(sys, "argv", ["tsuji", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code, capsys.readouterr().err


def test_ideal_needs_no_configuration(monkeypatch, capsys, tmp_path):
    out, table = tmp_path / "out.json", tmp_path / "ranks.csv"
    code, _ = call(monkeypatch, capsys, "replay", RING, "--ideal", IDEAL, "--json", out, "--csv", table)
    assert code in (0, None)
    document = json.loads(out.read_text())
    assert document["messages"] == 8 * 14
    assert document["bytes"] == 8 * 14 * 1024
    assert len(document["ranks"]["end_ns"]) == 8
    assert document["run_time_ns"] == max(document["ranks"]["end_ns"])
    # 14 steps of o + L + 1,023·G + o, and seven sums.
    assert document["run_time_ns"] == 14 * (1500 + 2500 + 1023 * 6 + 1500) + 7 * 64
    assert len(pd.read_csv(table)) == 8


def test_network_and_slow_down(monkeypatch, capsys, tmp_path):
    out, links = tmp_path / "out.json", tmp_path / "links.parquet"
    options = ("--set", "run.specialise=false", "--json", out, "--links", links, "--chunk", "1000")
    code, _ = call(monkeypatch, capsys, "replay", RING, TORUS, *options, "--and", f"{RING}@5000")
    assert code in (0, None)
    document = json.loads(out.read_text())
    assert document["slow_down"] > 0
    assert document["config"]["workload"]["packet_bytes"] == 2048
    assert document["packets"] == document["messages"] == 2 * 8 * 14
    assert document["ranks"]["job"] == [0] * 8 + [1] * 8
    carried = pd.read_parquet(links)["bytes"].sum()
    assert carried == sum(document["links"]["bytes"])


def test_api_and_mappings():
    here = tsuji.replay(RING, FEW, {"workload.send_overhead": 5})
    there = tsuji.replay(RING, FEW, {"workload.send_overhead": 5}, mappings=[[0, 4, 1, 5, 2, 6, 3, 7]])
    assert there.run_time_ns > here.run_time_ns
    assert here.slow_down is not None
    assert tsuji.replay(RING, ideal={"L": 100, "o": 0, "g": 0, "G": 0}).run_time_ns == 14 * 100 + 7 * 64
    assert list(here.frame()["slow_down"] > 0) == [True] * 8
    with pytest.raises(TsujiError, match="2 files, 1 mappings, 2 starts: must be as many"):
        tsuji.replay([RING, RING], FEW, mappings=[[0]])
    with pytest.raises(TsujiError, match="say a network"):
        tsuji.replay(RING)


GOAL = "num_ranks 2\nrank 0 {\n%s\n}\nrank 1 {\n%s\n}\n"


def bad_files(folder):
    """Yield arguments, exit code, and words of the error message, for files and options with one fault each."""
    good = GOAL % ("send 8b to 1 tag 1", "recv 8b from 0 tag 1")
    texts = {
        "cut": (good[:-2], 2, "cut.goal:5: rank 1 { without end: expected }"),
        "unknown": (GOAL % ("shout 8b to 1", ""), 2, "unknown.goal:3: 'shout 8b to 1': expected"),
        "range": (GOAL % ("send 8b to 2", ""), 2, "range.goal:3: rank 2: expected 0 to 1"),
        "zero": ("num_ranks 0\n", 2, "zero.goal:1: 'num_ranks 0': expected 1 to"),
        "lost": (GOAL % ("send 8b to 1 tag 1", ""), 2, "rank 1 did not receive 8 bytes from rank 0, tag 1"),
        "waits": (GOAL % ("", "recv 8b from 0 tag 1"), 1, "rank 1 waits for a message from rank 0, tag 1"),
        "circle": (GOAL % ("a: calc 1\nb: calc 1\na requires b\nb requires a", ""), 1, "operations that wait for each"),
    }
    for name, (text, code, words) in texts.items():
        path = folder / f"{name}.goal"
        path.write_text(text)
        yield (path, "--ideal", IDEAL), code, words
    (folder / "good.goal").write_text(good)
    cut = write(folder / "trace", "compute 1", "compute 1")
    (cut / "rank0001.txt").write_text("# empty\n")
    yield (cut, "--ideal", IDEAL), 2, "rank0001.txt:1: no action of rank 1"
    differ = write(folder / "differ", "allreduce 4 1 0", "allreduce 5 1 0")
    yield (differ, "--ideal", IDEAL), 2, "rank0001.txt:2"
    twice = folder / "twice.txt"
    twice.write_text("3\n3\n")
    yield (folder / "good.goal", TORUS, "--mapping", twice), 2, "node 3"
    yield (folder / "good.goal",), 2, "say a CONFIG"
    yield (folder / "good.goal", "--ideal", "L=slow"), 2, "ideal L=slow: expected a number"
    yield (folder / "good.goal", "--ideal", IDEAL, "--links", "x.parquet"), 2, "--links: the ideal network has no"
    yield (folder / "none.goal", "--ideal", IDEAL), 2, "none.goal: no such file"
    yield (folder / "good.goal", TORUS, "--history", "h.parquet", "--switch", 64), 2, "switch 64: must be 0 to 63"
    yield (folder / "good.goal", TORUS, "--set", "workload.packet_bytes=0"), 2, "workload.packet_bytes = 0"


def test_faults_end_with_one_message(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    for arguments, code, words in bad_files(tmp_path):
        found, said = call(monkeypatch, capsys, "replay", *arguments)
        assert found == code, (arguments, said)
        assert said.count("error:") == 1, said
        assert words in said, said
