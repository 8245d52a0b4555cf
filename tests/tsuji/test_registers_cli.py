import json
import subprocess
import sys

import pytest

from tsuji.cli import main


def tsuji(*arguments, directory=None):
    command = [sys.executable, "-c", "from tsuji.cli import main; main()", "registers", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=directory, check=False)


def test_registers_of_a_simulation(tmp_path):
    (tmp_path / "net.toml").write_text(
        '[topology]\nkind = "mesh"\nradix = [2, 2]\n[switch]\nrouting = "dimension_order"\n'
    )
    done = tsuji("net.toml", "--format", "rdl", "--name", "node", directory=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("addrmap \\node {\n")
    assert "} position @ 0x50;" in done.stdout
    assert "program" not in done.stdout


def test_files_and_pages(tmp_path):
    done = tsuji("--format", "c", "-o", "sw.h", "--html", "pages", "--no-table", directory=tmp_path)
    assert "pages: to look at it, python -m http.server -d pages" in done.stderr
    assert (done.returncode, done.stdout) == (0, "")
    assert "program" not in (tmp_path / "sw.h").read_text()
    assert (tmp_path / "pages" / "index.html").is_file()
    done = tsuji("--html", "again", directory=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")


def test_streams_add_their_registers(capsys, monkeypatch):
    names = []
    for more in ([], ["--ports", "axi"]):
        monkeypatch.setattr(sys, "argv", ["tsuji", "registers", "--format", "json", *more])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 0
        document = json.loads(capsys.readouterr().out)
        names.append({each["name"] for each in document["registers"] + document["windows"]})
    assert names[1] - names[0] == {"stream_error", "streams"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "pdf"], "error: --format pdf: must be rdl, c, md or json"),
        (["--ports", "ahb"], "--ports ahb: must be links, axi or axi,whole"),
        (["--ports", "axi", "--network-ports", "5"], "--ports axi: no local port: all of switch.ports = 5"),
        (["--set", "switch.ports=1"], "--set switch.ports=1: switch.ports = 1: "),
        (["--name", "output"], "--name output: is a keyword of Verilog or SystemVerilog"),
        (["--html", "pages", "--format", "c"], "--format c: --html alone writes no text; give --output, too"),
        (["-o", "/dev/null/x"], "--output /dev/null/x: cannot be written: /dev/null is not a folder"),
        (["--html", "/dev/null"], "--html /dev/null: cannot be written: /dev/null is not a folder"),
    ],
)
def test_bad_input_ends_with_one_message_and_code_2(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tsuji", "registers", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    printed = capsys.readouterr().err
    assert message in " ".join(printed.split())
    assert "Traceback" not in printed


def test_help_teaches(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tsuji", "registers", "--help"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert "Examples" in capsys.readouterr().out
