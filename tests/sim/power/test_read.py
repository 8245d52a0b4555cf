"""Reading results back, and pictures of them."""

import json

import numpy as np
import pytest

from models.errors import TsujiError
from sim.plot.power import pareto, plot_by_state, plot_over_time, plot_pareto
from sim.power.read import PowerFile, PowerResult, read_results
from sim.schedule.operations import RECV, SEND
from tests.sim.power.test_account import SLEEPY, account

ROWS = [[(SEND, 1, 800, 0, [])], [(RECV, 0, 800, 0, [])], *([[]] * 6)]


@pytest.fixture
def run(tmp_path):
    """A result of a run, its JSON and its Parquet file."""
    result, _ = account(tmp_path, ROWS, *SLEEPY, chunk=20)
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result.document()))
    return result, path, tmp_path / "power.parquet"


def test_a_result_is_read_from_either_file(run):
    result, path, parquet = run
    (from_json,), (from_parquet,) = read_results(path), read_results(parquet)
    assert from_json.label == from_parquet.label == "T_lt 0.05 µs"
    assert from_json.time_ns == result.run_time_ns
    assert from_parquet.time_ns == result.run_time_ns + 1  # rounded up to whole cycles
    assert from_json.figures == from_parquet.figures == result.power._asdict()


def test_a_sweep_is_read_point_by_point(run, tmp_path):
    _, path, _ = run
    document = json.loads(path.read_text())
    document["config"]["power"]["t_lt_ns"] = "off"
    (tmp_path / "sweep.json").write_text(json.dumps({"points": [document, json.loads(path.read_text())]}))
    off, sleepy = read_results(tmp_path / "sweep.json")
    assert (off.label, sleepy.label) == ("T_lt off", "T_lt 0.05 µs")
    assert sleepy.ratio_to(off) == (1, 1, 1)


def test_rows_come_chunk_by_chunk(run):
    _, _, parquet = run
    file = PowerFile(parquet)
    assert sum(len(rows) for rows in file.links(["chunk"])) == 16 * file.summary["chunks"]
    assert list(next(file.switches(["chunk", "mean_w"])).columns) == ["chunk", "mean_w"]
    table = file.over_time()
    assert table["chunk"].tolist() == list(range(file.summary["chunks"]))
    watts = table["base_w"] + table["links_w"] + table["cache_w"] + table["cam_w"]
    np.testing.assert_allclose(watts, table["mean_w"])


def test_what_is_no_account_is_refused(run, tmp_path):
    _, path, parquet = run
    bare = json.loads(path.read_text())
    del bare["power"]
    (tmp_path / "bare.json").write_text(json.dumps(bare))
    (tmp_path / "part.json").write_text('{"power": {"mean_w": 1}, "config": {}}')
    wrong = json.loads(path.read_text())
    wrong["power"]["mean_w"] = "much"
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    wrong["power"] = 3
    (tmp_path / "number.json").write_text(json.dumps(wrong))
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "words.json").write_text("words")
    (tmp_path / "words.parquet").write_text("words")
    (tmp_path / "alone.parquet").write_bytes(parquet.read_bytes())
    for name, text in (
        ("bare.json", "has no member power: simulate with --power"),
        ("part.json", "part.json: power is no energy account of tsuji: 'peak_w' is missing"),
        ("wrong.json", "wrong.json: power is no energy account of tsuji: .*number"),
        ("number.json", "number.json: power is no energy account of tsuji"),
        ("list.json", "no result of tsuji"),
        ("words.json", "cannot be read"),
        ("words.parquet", "cannot be read"),
        ("nothing.json", "No such file"),
        ("alone.parquet", r"alone\.switches\.parquet: cannot be read: "),
    ):
        with pytest.raises(TsujiError, match=text):
            read_results(tmp_path / name)


def test_the_front_of_time_and_energy():
    """No other point is equally fast with less energy."""
    time, energy = np.array([3.0, 1, 2, 2, 4, 1]), np.array([1.0, 5, 3, 2, 1, 6])
    assert pareto(time, energy).tolist() == [1, 3, 0]


def test_pictures_are_drawn(run, tmp_path):
    result, path, parquet = run
    found = [*read_results(path), PowerResult("T_lt off", "off", 500.0, "run time", result.power._asdict())]
    plot_over_time([("a", PowerFile(parquet).over_time())], tmp_path / "a.png")
    plot_by_state(found, tmp_path / "b.png")
    plot_pareto(found, tmp_path / "c.svg")
    for name in ("a.png", "b.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert "T_lt off" in (tmp_path / "c.svg").read_text() or (tmp_path / "c.svg").stat().st_size > 5000
