"""The commands run and sweep, as a user meets them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tsuji import cli
from tsuji.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
MESH = str(EXAMPLES / "mesh2x3.toml")
FAST = ["--set", "measure.period=100", "--set", "measure.max_measure_periods=10"]


def tsuji(*arguments, directory=None):
    command = [sys.executable, "-c", "from tsuji.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=directory, check=False)


def test_run_prints_a_table_and_writes_files(tmp_path):
    done = tsuji("run", MESH, *FAST, "--json", "out/a.json", "--csv", "out/a.csv", directory=tmp_path)
    assert done.returncode == 0, done.stderr
    for word in ("packet (birth to tail out)", "accepted traffic", "cache hit rate", "flit hops", "cycles:"):
        assert word in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    document = json.loads((tmp_path / "out/a.json").read_text())
    assert document["config"]["measure"]["period"] == 100
    assert document["packet_latency"]["mean"] > 0
    assert (tmp_path / "out/a.csv").read_text().count("\n") == 2


def test_sweep_prints_a_row_a_point(tmp_path):
    over = ["--over", "traffic.load=0.1,0.2", "--over", "cache.entries=0,16"]
    outputs = ["--json", "a.json", "--csv", "a.csv", "--plot", "a.png", "--dir", "kept", "--workers", "1"]
    done = tsuji("sweep", MESH, *FAST, *over, *outputs, directory=tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "plot: a.png" in done.stdout
    document = json.loads((tmp_path / "a.json").read_text())
    assert document["over"] == {"traffic.load": ["0.1", "0.2"], "cache.entries": ["0", "16"]}
    assert len(document["points"]) == len(list((tmp_path / "kept").glob("*.json"))) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.json", "a.png", "kept"]


def test_saturate_prints_a_row_a_search(tmp_path):
    over = ["--over", "traffic.pattern=uniform,neighbour", "--tolerance", "0.25", "--workers", "1"]
    done = tsuji("saturate", MESH, *FAST, *over, "--json", "a.json", "--csv", "a.csv", directory=tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    document = json.loads((tmp_path / "a.json").read_text())
    uniform, neighbour = document["saturation"]
    assert uniform["values"] == {"traffic.pattern": "uniform"}
    assert uniform["above"] == uniform["load"] + 0.25
    kept = list((tmp_path / "build/saturate/mesh2x3").glob("*.json"))
    assert len(document["points"]) == len(kept) == uniform["simulations"] + neighbour["simulations"]
    for row in (uniform, neighbour):
        assert f"{row['load']:.2f}" in done.stdout


def test_curve_draws_and_prints_in_order_of_load(tmp_path):
    more = ["--points", "8", "--workers", "1", "--json", "a.json"]
    done = tsuji("curve", MESH, *FAST, *more, directory=tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert (tmp_path / "build/curve/mesh2x3/latency.png").read_bytes().startswith(b"\x89PNG")
    document = json.loads((tmp_path / "a.json").read_text())
    loads = [point["config"]["traffic"]["load"] for point in document["points"]]
    assert len(loads) == 8
    assert loads == sorted(loads)
    (found,) = document["saturation"]
    assert f"saturates between {found['load']:g} and {found['above']:g} flits/node/cycle offered" in done.stdout


@pytest.mark.parametrize(("name", "begins"), [("links.csv", b"time,cycles,switch,port,"), ("links.png", b"\x89PNG")])
def test_run_writes_or_draws_the_links_over_time(tmp_path, name, begins):
    done = tsuji(
        "run", MESH, *FAST, "--set", "measure.utilisation_interval=100", "--utilisation", name, directory=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["topology", MESH, "--picture", "x.xyz"], "--picture x.xyz: must end in .png, .svg or .pdf"),
        (["run", MESH, "--utilisation", "x"], "--utilisation x: must end in .csv, .parquet, .png, .svg or .pdf"),
        (
            ["sweep", MESH, "--over", "traffic.load=0.1", "--plot", "x.foo"],
            "--plot x.foo: must end in .png, .svg",
        ),
        (["run", MESH, "--set", "traffic.lod=1"], "traffic.lod = 1: unknown key; did you mean load?"),
        (["run", MESH, "--set", "traffic.pattern=transpose"], "2×3 mesh is not square"),
        (["run", MESH, "--utilisation", "a.csv"], "measure.utilisation_interval = 0 records nothing"),
        (["run", MESH, "--set", "cam.entries=2"], "cam.entries = 2: 6 nodes do not fit"),
        (["sweep", MESH, "--over", "traffic.load=0.1:0.2"], "traffic.load = '0.1:0.2'"),
        (["saturate", MESH, "--tolerance", "small"], "tolerance = small: must be a number above 0"),
        (["saturate", MESH, "--tolerance", "0"], "tolerance = 0: must be a number above 0"),
        (["curve", MESH, "--over", "traffic.load=0.1,0.2"], "traffic.load: is what this command chooses"),
        (["curve", MESH, "--set", "switch.vcs=17"], "switch.vcs = 17"),
        (["sweep", MESH, "--over", "traffic.load=1:0:1"], "a step of 1 leads away from 0"),
        (["sweep", MESH, "--over", "traffic.load=0.1,0:x:1"], "traffic.load = '0:x:1'"),
    ],
)
def test_bad_input_ends_with_one_message_and_code_2(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tsuji", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    printed = capsys.readouterr()
    assert end.value.code == 2
    assert message in printed.err
    assert printed.err.startswith("error: ")
    assert printed.out == ""


@pytest.mark.parametrize("command", ["run", "sweep", "curve", "saturate"])
def test_help_teaches_with_examples(command):
    done = tsuji(command, "--help")
    assert done.returncode == 0
    assert f"tsuji {command} examples/torus8x8.toml" in done.stdout


def test_a_run_reads_what_it_needs_and_no_more():
    """Other commands and other kinds of topology would take a fifth of a second of CPU time."""
    program = f"""
import sys
from tsuji.cli import main
sys.argv = ["tsuji", "run", {str(EXAMPLES / "torus8x8.toml")!r}, *{FAST!r}]
try:
    main()
finally:
    print("read:", *sorted(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    read = done.stdout.rpartition("read:")[2].split()
    assert {"tsuji.cli.run", "sim.topology.torus"} <= set(read)
    assert not {"tsuji.cli.sweep", "tsuji.cli.synth", "sim.topology.fat_tree", "sim.traffic.transpose", "pandas"} & set(
        read
    )


def test_every_command_of_the_folder_is_listed():
    helpers = {"__init__", "demonstration", "figures", "output", "points", "signals", "switch", "workload_table"}
    helpers |= {
        "booksim_points",
        "module_options",
        "option_groups",
        "ports",
        "network_options",
        "power_options",
        "processes",
        "workload_options",
    }
    files = {path.stem for path in Path(cli.__file__).parent.glob("*.py")}
    assert files - helpers == set(cli.COMMANDS)
