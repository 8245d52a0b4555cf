"""What objects of the Python interface show, their frames, and the words of errors."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import tsuji
from sim.measure.table import write_table
from tsuji import TsujiError

SMALL = {
    "topology": {"kind": "torus", "radix": [4, 4]},
    "switch": {"routing": "dimension_order"},
    "measure": {"period": 200, "max_warmup_periods": 3, "measure_periods": 1, "max_measure_periods": 2},
}
GOAL = "examples/goal/ring_allreduce.goal"
IDEAL = {"L": 1000}


@pytest.fixture(scope="module")
def result():
    return tsuji.run(SMALL)


def test_objects_show_one_short_line(result):
    """Arrays and configurations of thousands of values are not shown."""
    mean = f"packet latency {result.figures.packet_latency.mean:.2f}"
    assert repr(result).startswith(f"Result(torus [4, 4], uniform, load 0.1: Figures({mean} ")
    assert repr(result.figures) in repr(result)
    assert repr(tsuji.topology(SMALL)) == "Grid(4×4 torus: 16 switches, 16 nodes, 32 cables)"
    assert repr(tsuji.topology(nx.cycle_graph(4))) == "Topology(graph of 4: 4 switches, 4 nodes, 4 cables)"
    replayed = tsuji.replay(GOAL, ideal=IDEAL)
    run_time = f"run time {replayed.run_time_ns:,.0f} ns"
    assert repr(replayed).startswith(f"WorkloadResult(ring_allreduce.goal on the ideal network: {run_time}, ")
    for each in (result, tsuji.topology(SMALL), replayed):
        assert len(repr(each)) < 200


def test_notebooks_show_tables(result):
    for each, text in (
        (result, "torus [4, 4], uniform, load 0.1"),
        (result.figures, f"{result.figures.packet_latency.mean:.2f}"),
        (tsuji.topology(SMALL), "4×4 torus"),
        (tsuji.replay(GOAL, ideal=IDEAL), "run time"),
    ):
        html = each._repr_html_()
        assert html.startswith("<table>")
        assert text in html


def test_figures_without_a_value_are_not_shown(result):
    """There is no cache, and no energy account."""
    assert [name for name, _, _ in result.figures.main()] == [
        "packet latency",
        "network latency",
        "offered traffic",
        "accepted traffic",
        "hops",
        "links in use",
        "packets",
        "saturated",
    ]


def test_a_result_has_a_frame(result):
    frame = result.frame()
    assert len(frame) == 1
    assert frame.columns[0] == "packet_latency.mean"
    assert frame.loc[0, "packet_latency.mean"] == result.figures.packet_latency.mean
    assert frame.loc[0, "traffic.load"] == 0.1
    pd.testing.assert_frame_equal(frame, tsuji.frame(result))


def test_what_varied_comes_first_and_constants_are_apart(tmp_path):
    over = {"traffic.load": [0.05, 0.1], "power.t_lt_ns": ["off", 1000], "run.seed": [1]}
    frame = tsuji.sweep(SMALL, over)
    assert list(frame.columns[:3]) == list(over)
    assert {"lpi.idle", "lpi.wake"} <= set(frame.columns[3:10]), "keys that change with those of over"
    keys = [name for name in frame if name.split(".")[0] in tsuji.config(SMALL).document()]
    assert not {"topology.radix", "switch.vcs", "version"} & set(keys)
    assert frame.attrs["topology.radix"] == [4, 4]
    assert frame.attrs["version"] == tsuji.__version__
    assert not [name for name in frame if frame[name].dtype == object]
    assert frame["batch.makespan"].dtype == float
    assert frame["power.t_lt_ns"].tolist()[::2] == ["off", "off"]
    frame.to_parquet(tmp_path / "frame.parquet")


def test_columns_of_numbers_and_text_are_written(tmp_path):
    """Parquet refuses columns of both."""
    results = [tsuji.run(SMALL | {"power": {"t_lt_ns": idle}}) for idle in ("off", 1000)]
    write_table(results, tmp_path / "table.parquet")
    assert pd.read_parquet(tmp_path / "table.parquet")["power.t_lt_ns"].tolist() == ["off", "1000.0"]


def test_saturation_points_hold_no_objects():
    found = tsuji.saturate(SMALL, {"traffic.pattern": ["uniform"]}, tolerance=0.4)
    assert not [name for name in found if found[name].dtype == object]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tsuji.config(SMALL, {"switch.vcs": 99}), "switch.vcs = 99: "),
        (lambda: tsuji.config(SMALL | {"cache": {"entries": 65}}), "cache.entries = 65: "),
        (lambda: tsuji.config("examples/torus8x8.toml", {"cache.entries": 65}), "cache.entries = 65: "),
        (lambda: tsuji.sweep(SMALL, {"switch.vcs": [99]}), "switch.vcs = 99: "),
        (lambda: tsuji.sweep(SMALL, {"switch.vcs": [99]}, workload=GOAL), "switch.vcs = 99: "),
        (lambda: tsuji.config(SMALL, {"switch": 3}), "switch = 3: is a section"),
        (lambda: tsuji.config(SMALL, {"": 3}), "'': write section.key"),
        (lambda: tsuji.mpi(print, 0, SMALL), "ranks = 0: "),
        (lambda: tsuji.mpi(print, 2, ideal="L"), "ideal L: "),
    ],
)
def test_errors_speak_of_keys(call, said):
    with pytest.raises(TsujiError) as error:
        call()
    assert str(error.value).startswith(said)
    assert "--" not in str(error.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [("switch.vcs", True), ("traffic.load", True), ("run.seed", False), ("topology.radix", [True, 4]),
     ("link.latency", np.True_), ("power.t_lt_ns", True), ("planes.latencies", [[1], [True]]), ("lpi.idle", False)],
)  # fmt: skip
def test_keys_of_numbers_take_no_truth_values(key, value):
    with pytest.raises(TsujiError, match=rf"^{key} = .*: does not take true or false; allowed: "):
        tsuji.config(SMALL, {key: value})


@pytest.mark.parametrize(("key", "value"), [("run.simd", 1), ("run.specialise", 0), ("run.simd", 1.0)])
def test_keys_of_truth_values_and_words_take_no_numbers(key, value):
    with pytest.raises(TsujiError, match=rf"^{key} = {value}: does not take a number; allowed: "):
        tsuji.config(SMALL, {key: value})


def test_keys_of_truth_values_take_them():
    keys = {"topology.wrap": [True, False], "run.specialise": True, "run.force": True}
    assert tsuji.config(SMALL, keys).run.force


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: tsuji.mpi(print, True, SMALL), "ranks"),
        (lambda: tsuji.mpi(print, 2, SMALL, mapping=[True, False]), r"mapping\[0\]"),
        (lambda: tsuji.mpi(print, 2, SMALL, links="links.parquet", chunk=True), "chunk"),
        (lambda: tsuji.mpi(lambda comm: 1, 2, ideal=IDEAL, flops=True), "flops"),
        (lambda: tsuji.replay(GOAL, SMALL, mappings=[[0, True]]), r"mappings\[0\]\[1\]"),
        (lambda: tsuji.replay(GOAL, SMALL, starts_ns=[True]), r"starts_ns\[0\]"),
        (lambda: tsuji.saturate(SMALL, shortfall=True), "shortfall"),
        (lambda: tsuji.sweep(SMALL, {"run.seed": [1]}, workload="examples/mpi/ping_pong.py", ranks=True), "ranks"),
        (lambda: tsuji.view("none.parquet", page="page.html", frames=True), "frames"),
        (lambda: tsuji.view("none.parquet", stills="stills.png", at_ns=[True]), r"at_ns\[0\]"),
        (lambda: tsuji.build(SMALL).offer(tsuji.Packets([0], [True], [2], [1])), r"packets\.source\[0\]"),
    ],
)
def test_numbers_of_calls_are_no_truth_values(call, name):
    with pytest.raises(TsujiError, match=rf"^{name} = (np\.)?True_?: must be a "):
        call()


def test_message_classes_are_tables_in_a_list():
    """As in TOML; each has figures of its own."""
    classes = [{"name": "a", "packet_size": 1, "vcs": [0, 1]}, {"name": "b", "share": 3.0, "vcs": (2, 3)}]
    mesh = {"topology": {"kind": "mesh", "radix": [3, 3]}, "switch": {"vcs": 4}, "traffic": {"classes": classes}}
    found = tsuji.run(mesh, {"measure.measure_periods": 1, "measure.max_measure_periods": 1})
    assert list(found.figures.classes) == ["a", "b"]
    assert found.config["traffic"]["classes"][1]["vcs"] == [2, 3]
    with pytest.raises(TsujiError, match=r"^traffic.classes.0.nonsense = 1: unknown key"):
        tsuji.run({"traffic": {"classes": [{"nonsense": 1}]}})
    with pytest.raises(TsujiError, match=r"^traffic.classes.0.vcs = \[9, 9\]: must be the first and the last of VCs"):
        tsuji.run(mesh, {"traffic.classes": [{"vcs": [9, 9]}]})
