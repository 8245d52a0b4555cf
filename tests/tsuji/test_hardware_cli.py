"""The commands verilog, synth and cosim, as a user meets them."""

import json
import subprocess
import sys

import pytest
import yaml

from models.params.config_file import SWITCH_SECTIONS
from synth.ports import read_ports
from tsuji import __version__
from tsuji.cli import main

SMALL = [
    "--set",
    "switch.ports=3",
    "--set",
    "switch.data_width=16",
    "--set",
    "cache.entries=8",
    "--set",
    "cam.entries=32",
]


def tsuji(*arguments, directory=None):
    command = [sys.executable, "-c", "from tsuji.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=directory, check=False)


@pytest.fixture(scope="module")
def small():
    """Return the Verilog of a small switch, written by a process of its own."""
    done = tsuji("verilog", *SMALL, "--name", "trio")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_verilog_to_standard_output(small):
    names = [port.name for port in read_ports(small, "trio")]
    assert "link_in_2_flit_valid" in names
    assert "link_in_3_flit_valid" not in names
    assert "program_payload" in names


def test_verilog_of_a_file_without_table(tmp_path):
    (tmp_path / "switch.toml").write_text("[switch]\nports = 4\n[cache]\nentries = 0\n")
    done = tsuji("verilog", "switch.toml", "--no-table", "-o", "switch.v", directory=tmp_path)
    assert done.returncode == 0, done.stderr
    names = [port.name for port in read_ports((tmp_path / "switch.v").read_text(), "tsuji_switch")]
    assert "cam_request_payload" in names
    assert "program_payload" not in names
    assert "flush" not in names


def test_verilog_of_a_simulation(tmp_path):
    (tmp_path / "net.toml").write_text('[topology]\nkind = "mesh"\nradix = [2, 2, 2]\n')
    done = tsuji("verilog", "net.toml", "-o", "switch.v", directory=tmp_path)
    assert done.returncode == 0, done.stderr
    names = [port.name for port in read_ports((tmp_path / "switch.v").read_text(), "tsuji_switch")]
    assert "link_in_6_flit_valid" in names


def test_verilog_is_deterministic(small):
    """In another process sets have another order."""
    assert tsuji("verilog", *SMALL, "--name", "trio").stdout == small


def test_synth_counts_cells(tmp_path):
    plain = [*SMALL[:4], "--set", "switch.radix=[4]", "--set", "switch.depth=2"]
    done = tsuji("synth", "plain", *plain, "--seeds", "0", "--json", "size.json", directory=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "size.json").read_text())
    assert document["results"][0]["lut4"] > 100
    assert document["results"][0]["fmax_mhz"] is None
    assert (tmp_path / "build" / "synth" / "plain" / "yosys_area.log").exists()
    assert "plain" in done.stdout


def test_a_link_as_fast_as_the_switch_is_accepted(tmp_path):
    (tmp_path / "net.toml").write_text('[topology]\nkind = "mesh"\nradix = [4]\n[link]\ninterval = 1\n')
    done = tsuji("formats", "net.toml", directory=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The switch has ports i = 0 to 2." in done.stdout


def test_the_page_of_formats_is_in_the_verilog(small, tmp_path):
    done = tsuji("formats", *SMALL, "--name", "trio", "-o", "trio.md", directory=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    page = (tmp_path / "trio.md").read_text()
    assert page.startswith("## Ports of trio\n")
    assert page in "\n".join(line.removeprefix("//").removeprefix(" ") for line in small.splitlines())
    assert tsuji("formats", *SMALL, "--name", "trio").stdout == page


def test_split_payloads_and_a_core_file(tmp_path):
    (tmp_path / "rtl").mkdir()
    arguments = ("--name", "trio", "--split-payloads", "-o", "rtl/trio.v", "--core", "trio.core", "--lint")
    done = tsuji("verilog", *SMALL, *arguments, directory=tmp_path)
    assert done.returncode == 0, done.stderr
    names = [port.name for port in read_ports((tmp_path / "rtl" / "trio.v").read_text(), "trio")]
    assert "link_in_0_flit_vc" in names
    assert "link_in_0_flit_payload" not in names
    first, _, text = (tmp_path / "trio.core").read_text().partition("\n")
    assert first == "CAPI=2:"
    core = yaml.safe_load(text)
    assert core["name"] == f"tsuji:generated:trio:{__version__}"
    assert core["filesets"]["rtl"] == {"files": ["rtl/trio.v"], "file_type": "verilogSource-2005"}
    assert core["targets"]["default"] == {"filesets": ["rtl"], "toplevel": "trio"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verilog", "--set", "switch.ports=1"], "--set switch.ports=1: switch.ports = 1: "),
        (["verilog", "--set", "switch.prots=1"], "switch.prots = 1: unknown key; did you mean ports?"),
        (["verilog", "--set", "cache.ways=3"], "cache.ways = 3: must be a power of two"),
        (["verilog", "nowhere.toml"], "nowhere.toml: cannot be read: No such file"),
        (["verilog", "--name", "3x"], "--name 3x: must be letters"),
        (["verilog", "--name", "output"], "--name output: is a keyword of Verilog or SystemVerilog"),
        (["formats", "--name", "logic"], "--name logic: is a keyword of Verilog or SystemVerilog"),
        (["verilog", "--set", "link.interval=2"], "--set link.interval=2: link.interval = 2: only the simulator"),
        (["formats", "--set", "topology.intervals=[1, 3]"], "topology.intervals = [1, 3]: only the simulator"),
        (["formats", "--set", "link=3"], "link = 3: is a section"),
        (["verilog", "--core", "x.core"], "--core x.core: names the Verilog file; write that, too, with --output"),
        (["verilog", "--core", "./x.core", "-o", "x.core"], "--core x.core: is the file of --output, too"),
        (["verilog", "--core", "x.txt"], "--core x.txt: must end in .core"),
        (
            ["verilog", *SMALL, "-o", "/dev/null/x.v"],
            "--output /dev/null/x.v: cannot be written: /dev/null is not a folder",
        ),
        (["synth", "plane"], "plane: cannot be read"),
        (["synth", "plain", "--set", "cach.entries=3"], "[cach]: unknown section; did you mean cache?"),
        pytest.param(  # it collects all benches first
            ["cosim", "--only", "no_such_bench"],
            "--only no_such_bench: no bench has this in its name",
            marks=pytest.mark.campaign,
        ),
    ],
)
def test_bad_input_ends_with_one_message_and_code_2(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tsuji", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert "Traceback" not in printed


def test_help_teaches(capsys, monkeypatch):
    for command in ("verilog", "formats", "synth", "cosim"):
        monkeypatch.setattr(sys, "argv", ["tsuji", command, "--help"])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 0
        printed = capsys.readouterr().out
        assert "Examples" in printed
        for section in SWITCH_SECTIONS if command in ("verilog", "formats") else ():
            assert f"[{section}]" in printed
