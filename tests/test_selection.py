"""Selection of `make check`: tests of a changed file first, and no test that does not depend on it."""

import subprocess
from pathlib import Path, PurePosixPath

import pytest

from tests.selection import changed_files, select


def _select(*changed: str) -> list[str]:
    return [str(path) for path in select(map(PurePosixPath, changed))]


def test_a_component_selects_its_bench_and_the_tests_of_its_folder() -> None:
    found = _select("models/route/crc_hash.py")
    assert found[0] == "cocotb_tests/unit/route/crc_hash/test_crc_hash.py"
    kin = found.index("cocotb_tests/unit/route/route_cache/test_route_cache.py")
    assert kin < found.index("cocotb_tests/switch/test_switch.py")
    assert "tests/sim/topology/test_torus.py" not in found[: kin + 1]


@pytest.mark.parametrize("changed", ["hdl/transfer/link.py", "cocotb_tests/unit/transfer/link/bench.py"])
def test_hardware_and_benches_select_the_bench(changed: str) -> None:
    assert _select(changed)[0] == "cocotb_tests/unit/transfer/link/test_link.py"


def test_what_a_test_does_not_depend_on_does_not_select_it() -> None:
    assert not [
        path for path in _select("hdl/switch.py") if path.startswith(("tests/sim/routing", "tests/models/params"))
    ]
    assert _select("benchmarks/__main__.py") == _select() == []


def test_a_file_of_a_registry_selects_the_tests_of_the_registry() -> None:
    """Its package is named in a string, from which the registry imports each of the folder."""
    assert _select("sim/schedule/collectives/tree.py")[0] == "tests/sim/schedule/collectives/test_algorithms.py"


def test_a_test_selects_itself_first() -> None:
    assert _select("tests/sim/topology/test_torus.py") == ["tests/sim/topology/test_torus.py"]


def test_data_selects_what_reads_it() -> None:
    assert "cocotb_tests/mutation/test_mutants.py" in _select("cocotb_tests/mutation/lpi.toml")
    assert "tests/sim/test_docs.py" in _select("docs/how_to/simulation.md")
    assert "tests/tsuji/test_examples.py" in _select("examples/torus8x8.toml")


def _project(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def test_nearer_files_come_first_and_a_removed_one_counts(tmp_path: Path) -> None:
    files = {
        "models/a.py": "",
        "models/b.py": "from models.a import one",
        "models/c.py": "import models.b",
        "tests/test_far.py": "from models import c",
        "tests/test_near.py": "import models.a",
        "tests/test_named.py": "bench = f'models.{1}'",
        "tests/test_else.py": "import numpy",
    }
    _project(tmp_path, files)
    nearest_first = ["tests/test_named.py", "tests/test_near.py", "tests/test_far.py"]
    _project(tmp_path, {"models/__init__.py": ""})
    changed = [PurePosixPath("models/a.py")]
    assert [str(path) for path in select(changed, tmp_path)] == nearest_first
    (tmp_path / "models/a.py").unlink()
    assert [str(path) for path in select(changed, tmp_path)] == nearest_first


def test_changed_files_are_those_that_git_names(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    _project(tmp_path, {"kept.py": "1", "changed.py": "1", "gone.py": "1", "with space/moved.py": "2"})
    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    (tmp_path / "changed.py").write_text("2", encoding="utf-8")
    (tmp_path / "gone.py").unlink()
    git("mv", "with space/moved.py", "there.py")
    _project(tmp_path, {"new/file.py": ""})
    assert {str(path) for path in changed_files(tmp_path)} == {
        "changed.py", "gone.py", "with space/moved.py", "there.py", "new/file.py",
    }  # fmt: skip
