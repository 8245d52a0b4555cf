"""Options `--ports` and `--network-ports` of `tsuji verilog` and `tsuji formats`."""

import re
import sys

import pytest

from tsuji.cli import main

TABLES = ["--set", "switch.ports=5"]
COMPUTED = ["--set", "switch.routing=dimension_order"]
TREE = ["topology.kind=fat_tree", "topology.arity=4", "routing.kind=up_down"]
COMPUTED_TREE = [
    "topology.kind=fat_tree",
    "routing.kind=random_up",
    "routing.paths=1",
    "switch.routing=fat_tree",
]
TORUS = ["--set", "topology.kind=torus", "--set", "topology.radix=[4, 4]"]


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["tsuji", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def streams(page):
    """Return the number of streams, and the first port that has one."""
    first = re.search(r"AXI4-Stream into port (\d* ?\+? ?)i:", page)
    count = len(re.findall(r"^wire s_axis_\d+_tvalid;", page, re.MULTILINE))
    return count, int(first[1].rstrip(" +") or 0)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (TABLES, (5, 0)),
        ([*TABLES, "--network-ports", "4"], (1, 4)),
        (TORUS, (1, 4)),
        ([*TORUS, "--set", "switch.routing=dimension_order"], (1, 4)),
        (
            ["--set", "switch.ports=6", "--set", "switch.routing=dimension_order", "--set", "switch.radix=[4, 4]"],
            (2, 4),
        ),
        (["--set", "switch.ports=6", "--set", "switch.node_ports=2", "--set", "switch.network_ports=2"], (4, 2)),
    ],
)
def test_which_ports_are_streams(arguments, expected, monkeypatch, capsys):
    assert run(monkeypatch, "formats", "--ports", "axi", *arguments) == 0
    assert streams(capsys.readouterr().out) == expected


def test_credit_links_are_the_default(monkeypatch, capsys):
    assert run(monkeypatch, "formats", *TABLES) == 0
    default = capsys.readouterr().out
    assert run(monkeypatch, "formats", "--ports", "links", *TABLES) == 0
    assert capsys.readouterr().out == default
    assert "axis" not in default


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ports", "ahb"], "--ports ahb: must be links, axi or axi,whole"),
        (["--ports", "axi,whole"], "--ports axi,whole: whole packets are stored, and switch.buffering"),
        (["--ports", "axi", "--set", "switch.data_width=12"], "switch.data_width = 12: must be a multiple of 8"),
        (["--ports", "axi", "--network-ports", "5"], "--ports axi: no local port: all of switch.ports = 5"),
        (["--network-ports", "4"], "--network-ports 4: only --ports axi uses it"),
        (["--ports", "axi", "--network-ports", "4", *TORUS], "--network-ports 4: 4 follows from 4×4 torus"),
        (
            ["--ports", "axi", *(word for setting in TREE for word in ("--set", setting))],
            "leads to a node at one switch and on at another",
        ),
        (
            ["--ports", "axi", *(word for setting in COMPUTED_TREE for word in ("--set", setting))],
            'switch.routing = "fat_tree": a port leads to a node at one switch and on at another; use links',
        ),
        (
            [
                "--ports",
                "axi",
                "--set",
                "switch.routing=hyper_crossbar",
                "--set",
                "switch.radix=[5, 3]",
                "--set",
                "switch.crossbar=0",
            ],
            "--ports axi: switch.crossbar = 0: a crossbar has no local ports",
        ),
        (
            ["--ports", "axi", "--set", "switch.buffering=static", "--set", "switch.max_packet=1"],
            "switch.max_packet = 1: must be at least 2",
        ),
    ],
)
def test_what_is_refused(arguments, message, monkeypatch, capsys):
    for command in ("verilog", "formats"):
        assert run(monkeypatch, command, *arguments) == 2
        printed = " ".join(capsys.readouterr().err.split())
        assert message in printed
        assert "Traceback" not in printed


def test_help_names_the_default(monkeypatch, capsys):
    assert run(monkeypatch, "verilog", "--help") == 0
    printed = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "Local are the ports of nodes" in printed
