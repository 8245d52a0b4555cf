"""The command routes, and networks and routes of other tools, as a user meets them."""

import re
from contextlib import suppress
from pathlib import Path

import networkx as nx
import pytest
from typer.testing import CliRunner

from tests.sim.topology.graph_formats_cases import TEXTS
from tsuji.cli import command_line, main

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "how_to" / "bring_your_own_network.md").read_text(encoding="utf-8")


def tsuji(*arguments):
    return CliRunner().invoke(command_line(), [*map(str, arguments)])


def test_routes_are_written_and_read(tmp_path):
    first, again = tmp_path / "routes.csv", tmp_path / "again.parquet"
    done = tsuji("routes", EXAMPLES / "dragonfly.toml", "-o", first)
    assert done.exit_code == 0, done.output
    for figure in ("2,592", "longest path", "2.319", "the channel dependency graph has no cycle"):
        assert figure in done.stdout
    of_file = ["--set", "routing.kind=file", "--set", f"routing.file={first}"]
    assert tsuji("routes", EXAMPLES / "dragonfly.toml", *of_file, "-o", again).exit_code == 0
    of_parquet = ["--set", "routing.kind=file", "--set", f"routing.file={again}"]
    assert tsuji("routes", EXAMPLES / "dragonfly.toml", *of_parquet, "-o", tmp_path / "last.csv").exit_code == 0
    assert (tmp_path / "last.csv").read_text() == first.read_text()


def test_routes_lead_around_faults(tmp_path):
    done = tsuji("routes", EXAMPLES / "torus8x8.toml", "--set", "faults.random=3", "-o", tmp_path / "r.csv")
    assert done.exit_code == 0, done.output
    assert "8×8 torus without 3 cables and 0 switches" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dragonfly.toml", "--set", "routing.kind=file"], "routing.file is not set"),
        (["torus8x8_computed.toml"], 'switch.routing = "dimension_order": switches compute routes; use "table"'),
        (["dragonfly.toml", "-o", "routes.txt"], "must end in .csv or .parquet"),
        (["torus8x8.toml", "--set", "routing.kind=minimal", "--set", "routing.vc_classes=none"], "form a cycle"),
    ],
)
def test_mistakes_have_one_message(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, *more = arguments
    assert message in str(tsuji("routes", EXAMPLES / name, *more).exception)


def commands():
    """Return the commands of the page's table that read a graph file: format, and arguments."""
    rows = re.findall(r"\| `tsuji topology graph\.toml (.*?)` \|", PAGE)
    by_file = {"net.txt": "cables", "topology.txt": "ns3", "weights.intra": "rocketfuel", "fabric.txt": "ibnetdiscover"}
    by_file |= {"net.graphml": "graphml", "net.gml": "gml", "net.json": "node_link", "net.csv": "csv"}
    by_file |= {"net.edgelist": "edge_list", "net.adjlist": "adjacency_list"}
    return [(by_file[re.search(r"topology\.file=(\S+)", row)[1]], row.split()) for row in rows]


def test_the_table_has_every_format():
    assert sorted(name for name, _ in commands()) == sorted(TEXTS)


@pytest.mark.parametrize(("name", "arguments"), commands(), ids=lambda each: each if isinstance(each, str) else "")
@pytest.mark.filterwarnings("ignore")
def test_what_you_have_runs_with_its_command(name, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("graph.toml").write_text('[topology]\nkind = "graph"\n')
    Path(re.search(r"topology\.file=(\S+)", " ".join(arguments))[1]).write_text(TEXTS[name])
    done = tsuji("topology", "graph.toml", *arguments)
    assert done.exit_code == 0, done.exception
    assert re.search(r"nodes +3\b", done.stdout)


def test_the_message_of_the_page_is_the_program_s():
    message = re.search(r"error: (faults: .*)", PAGE)[1]
    around = "faults.links=[[0, 1], [0, 7], [0, 8], [0, 56]]"
    assert str(tsuji("topology", EXAMPLES / "torus8x8.toml", "--set", around).exception) == message


def test_a_warning_is_printed_once(tmp_path, monkeypatch, capfd):
    """The command reads the file several times."""
    graph = tmp_path / "graph.toml"
    graph.write_text('[topology]\nkind = "graph"\nfile = "net.graphml"\n[routing]\nkind = "up_down"\n')
    cables = nx.path_graph(3)
    nx.set_edge_attributes(cables, "red", "colour")
    nx.write_graphml(cables, tmp_path / "net.graphml")
    short = ["measure.period=10", "measure.warmup_periods=1", "measure.measure_periods=1", "traffic.load=0.9"]
    monkeypatch.setattr("sys.argv", ["tsuji", "run", str(graph), *(f"--set={each}" for each in short)])
    with suppress(SystemExit):
        main()
    assert capfd.readouterr().err.count("attributes of cables without effect: colour") == 1
