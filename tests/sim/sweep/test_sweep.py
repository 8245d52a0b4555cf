"""Sweeps: points, resuming after a kill, and results that do not depend on the number of processes."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import sim.sweep.sweep
from models.errors import TsujiError
from sim.measure.result import Result, write_json
from sim.measure.table import frame, write_table
from sim.plot.latency import curves, plot
from sim.sweep.axes import Axis, combinations, parse
from sim.sweep.sweep import points, run, stored

MESH = Path(__file__).parents[3] / "examples" / "mesh2x3.toml"
FAST = ["measure.period=100", "measure.measure_periods=5", "measure.max_measure_periods=5"]
COMMAND = [sys.executable, "-c", "from tsuji.cli import main; main()", "sweep", str(MESH)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("power.t_lt_ns=off,0:2:1,never", ["off", "0", "1", "2", "never"]),
        ("mapping=linear,random:1,coordinates:2", ["linear", "random:1", "coordinates:2"]),
        ("traffic.load=0.1:0.3:0.1", ["0.1", "0.2", "0.3"]),
        ("traffic.load=0.05:0.19:0.05", ["0.05", "0.10", "0.15"]),
        ("switch.vcs=4:2:-1", ["4", "3", "2"]),
        ("switch.vcs=2:2:1", ["2"]),
        ("cache.entries=0, 64,128", ["0", "64", "128"]),
        ("topology.radix=[4,4],[8,8]", ["[4,4]", "[8,8]"]),
        ('traffic.pattern="a,b",c', ['"a,b"', "c"]),
    ],
)
def test_axes(text, values):
    assert parse(text) == Axis(text.split("=")[0], tuple(values))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("traffic.load", "write key=start:stop:step or key=a,b,c"),
        ("traffic.load=", "write key=start:stop:step"),
        ("traffic..load=1", "write key=start:stop:step"),
        ("traffic.load=0.1:0.5:0", "must be numbers, step not 0"),
        ("traffic.load=a:b:c", "must be numbers, step not 0"),
        ("traffic.load=0.1:0.5:nan", "must be numbers, step not 0"),
        ("traffic.load=0.5:0.1:0.1", "a step of 0.1 leads away from 0.1"),
        ("traffic.load=0:1:0.00001", "100001 values; at most 10000"),
        ("traffic.load=0.1,,0.2", "a value is empty"),
        ("traffic.load=0.1,0.1", "a value occurs twice"),
    ],
)
def test_bad_axes_are_refused(text, message):
    with pytest.raises(TsujiError, match=f"--over {text}") as error:
        parse(text)
    assert message in str(error.value)


def test_several_axes_are_multiplied():
    axes = [Axis("a.b", ("1", "2")), Axis("c.d", ("x", "y"))]
    assert combinations(axes) == [
        {"a.b": "1", "c.d": "x"},
        {"a.b": "1", "c.d": "y"},
        {"a.b": "2", "c.d": "x"},
        {"a.b": "2", "c.d": "y"},
    ]
    with pytest.raises(TsujiError, match=r"--over: a.b is given twice"):
        combinations([axes[0], axes[0]])


def sweep(*axes):
    return points(MESH, FAST, [parse(axis) for axis in axes])


def test_points_are_named_after_what_matters():
    todo = sweep("traffic.load=0.1:0.3:0.1")
    assert len({point.name for point in todo}) == 3
    assert todo[0].name == points(MESH, [*FAST, "traffic.load=0.1"], [parse("run.seed=1")])[0].name


def test_points_are_not_named_after_how_the_engine_is_compiled():
    plain, specialised = (points(MESH, [*FAST, f"run.specialise={value}"], [])[0] for value in ("false", "true"))
    assert plain.name == specialised.name


@pytest.mark.parametrize("changed", ["tsuji", "networkx", "numpy"])
def test_points_are_named_after_the_versions_of_what_draws(changed, monkeypatch):
    (point,) = sweep("traffic.load=0.1")
    name = point.name
    real = sim.sweep.sweep.version
    monkeypatch.setattr(sim.sweep.sweep, "version", lambda library: "0" if library == changed else real(library))
    assert point.name != name


def test_points_are_named_after_the_content_of_files(tmp_path):
    matrix = tmp_path / "matrix.csv"
    axes = [parse("run.seed=1")]

    def name(text):
        matrix.write_text(text)
        (point,) = points(MESH, ["traffic.pattern=matrix", f"traffic.matrix={matrix}"], axes)
        return point.name

    assert name("0 1 1") == name("0 1 1") != name("0 1 2")


def test_a_bad_point_is_refused_before_anything_runs():
    with pytest.raises(TsujiError, match=r"at most 2 flits/node/cycle\nin the point traffic.load=5"):
        sweep("traffic.load=1,5")
    with pytest.raises(TsujiError, match=r"cache.entries = 65: must be 0(.|\n)*in the point cache.entries=65"):
        sweep("cache.entries=64,65")


def comparable(results):
    return [{**result.document(), "wall_s": 0} for result in results]


def test_results_do_not_depend_on_the_number_of_workers(tmp_path):
    todo = sweep("traffic.load=0.1,0.4", "cache.entries=0,16")
    told = []
    alone = run(todo, tmp_path / "one", 1, told.append)
    assert told == [0, 1, 2, 3]
    together = run(todo, tmp_path / "two", 3)
    assert comparable(alone) == comparable(together)
    assert [result.config["cache"]["entries"] for result in alone] == [0, 16, 0, 16]


def test_finished_points_are_not_run_again(tmp_path, monkeypatch):
    todo = sweep("traffic.load=0.1,0.2,0.3")
    first = run(todo[:2], tmp_path, 1)
    ran = []
    real = sim.sweep.sweep.simulate
    monkeypatch.setattr(sim.sweep.sweep, "simulate", lambda config: ran.append(config.load.load) or real(config))
    told = []
    results = run(todo, tmp_path, 1, told.append)
    assert ran == [0.3]
    assert told == [0, 1, 2]
    assert comparable(results[:2]) == comparable(first)


def test_a_broken_file_counts_as_none(tmp_path):
    (point,) = sweep("traffic.load=0.1")
    run([point], tmp_path, 1)
    path = tmp_path / point.name
    path.write_text(path.read_text()[:200])
    assert stored(point, tmp_path) is None
    assert run([point], tmp_path, 1)[0].figures.packets > 0


def alive(group):
    """Return the processes of a group that are not defunct, by Linux's /proc; none elsewhere."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, pgrp = path.read_text().rpartition(")")[2].split()[:3]
            if int(pgrp) == group and state != "Z":
                found.append(path.parent.name)
    return found


def test_a_killed_sweep_goes_on(tmp_path):
    """SIGKILL in the middle: no finished point is lost or repeated, no process is left running."""
    settings = ["measure.period=1500", "measure.measure_periods=100", "measure.max_measure_periods=100"]
    over = ["--over", "traffic.load=0.1:0.8:0.1", "--dir", str(tmp_path / "kept"), "--workers", "2"]
    arguments = [*COMMAND, *over, *(word for setting in settings for word in ("--set", setting))]
    kept = tmp_path / "kept"
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 240
    while len(list(kept.glob("*.json"))) < 3 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    while alive(process.pid):
        assert time.monotonic() < deadline, "workers outlived the sweep"
        time.sleep(0.05)
    before = {path.name: path.read_text() for path in kept.glob("*.json")}
    assert 3 <= len(before) < 8
    document = tmp_path / "sweep.json"
    again = subprocess.run([*arguments, "--json", str(document)], capture_output=True, text=True, check=True)
    after = {path.name: path.read_text() for path in kept.glob("[!.]*.json")}
    assert len(after) == 8
    assert {name: after[name] for name in before} == before
    assert again.stderr.count("left\n") == 8
    loads = [point["config"]["traffic"]["load"] for point in json.loads(document.read_text())["points"]]
    assert loads == pytest.approx([0.1 * i for i in range(1, 9)])


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    todo = sweep("cache.entries=0,16", "traffic.load=0.9,0.1")
    return [point.values for point in todo], run(todo, tmp_path_factory.mktemp("points"), 1)


def test_results_come_back_from_json(results, tmp_path):
    for result in results[1]:
        write_json(result.document(), tmp_path / "deep" / "result.json")
        assert Result.from_document(json.loads((tmp_path / "deep" / "result.json").read_text())) == result
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["result.json"]


def test_lists_of_numbers_take_a_line_and_come_back(tmp_path):
    document = {"a": [1, 2.5, None], "b": ["[\n 1]", "x, y"], "c": [[1, 2], []], "d": [{"e": [3]}], "f": []}
    write_json(document, tmp_path / "a.json")
    written = (tmp_path / "a.json").read_text()
    assert json.loads(written) == document
    assert '  "a": [1, 2.5, null],\n' in written


def test_documents_hold_what_is_promised(results):
    document = results[1][3].document()
    assert {"config", "version", "packet_latency", "network_latency", "accepted_traffic", "offered_traffic", "hops",
            "cache", "cycles", "flit_hops", "wall_s"} <= set(document)  # fmt: skip
    assert set(document["packet_latency"]) == {"mean", "p50", "p90", "p95", "p99", "p999", "max", "ci95"}
    assert set(document["cache"]) == {"hit_rate", "misses", "evictions"}


@pytest.mark.parametrize("name", ["points.csv", "points.parquet"])
def test_tables_are_tidy(results, tmp_path, name):
    write_table(results[1], tmp_path / name)
    read = pd.read_csv if name.endswith("csv") else pd.read_parquet
    table = read(tmp_path / name)
    assert table["traffic.load"].tolist() == [0.9, 0.1, 0.9, 0.1]
    assert table["topology.radix"].tolist() == ["[2, 3]"] * 4
    assert table["packet_latency.mean"].notna().sum() >= 2
    assert list(table.columns) == list(frame(results[1]).columns)


def test_curves_are_split_by_the_other_keys_and_ordered_by_load(results, tmp_path):
    found = curves(*results)
    assert [name for name, _ in found] == ["cache.entries = 0", "cache.entries = 16"]
    assert [[r.config["traffic"]["load"] for r in members] for _, members in found] == [[0.1, 0.9]] * 2
    plot(*results, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(TsujiError, match=r"curve\.xyz: cannot be written"):
        plot(*results, tmp_path / "curve.xyz")
