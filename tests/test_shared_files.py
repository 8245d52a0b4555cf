"""Files that a clone lacks: where they are looked for, what is said without them, and what is skipped then."""

import ast
import sys
from pathlib import Path

import pytest
from _pytest.outcomes import Failed, Skipped

from benchmarks import goal, traces
from models.errors import TsujiError
from sim.files.shared_folder import CLONE, EXPECTED, VARIABLE, checked_folder, shared_folder
from tests.shared_files import shared_file

ROOT = Path(__file__).resolve().parent.parent
FIRST = {"traces": "stats.json", "goal": "loggopsim.json"}
# Who may skip a test, and what is absent then. All else that tests use comes with `pip install tsuji[test]`.
SKIPS = {
    "tests/shared_files.py": "a folder of shared files",
    "tests/test_commits.py": "git's history",
    "tests/mpi_launcher.py": "MPI, on a system for which PyPI has no MPICH",
    "cocotb_tests/bus/litex/test_litex.py": "LiteX",
    "tests/sim/booksim/test_peer.py": "BookSim2",
    "tests/sim/mpi/test_real_mpi.py": "MPI and mpi4py",
    "tests/sim/plot/test_page_in_a_browser.py": "a browser",
    "tests/sim/papers/test_quick.py": "SimGrid, an external command",
    "tests/sim/sweep/test_local_pool.py": "Linux, where workers are forked",
    "conftest.py": "time, in `make check`",
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_beside_the_clone_unless_the_environment_says_otherwise(kind, tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert shared_folder(kind) == CLONE.parent / "shared" / kind
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert shared_folder(kind) == tmp_path / kind


@pytest.mark.parametrize("kind", EXPECTED)
def test_where_the_folder_is_nothing_is_skipped(kind):
    """So in our own CI each test of shared files runs."""
    if not shared_folder(kind).is_dir():
        with pytest.raises(Skipped):
            shared_file(kind, FIRST[kind])
        return
    try:
        assert shared_file(kind, FIRST[kind]).is_file()
    except Skipped:
        pytest.fail(f"{shared_folder(kind)} is there, but a test that wants {FIRST[kind]} is skipped")


@pytest.mark.parametrize("kind", EXPECTED)
def test_a_skip_names_the_file_and_where_to_put_it(kind, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(Skipped) as skipped:
        shared_file(kind, FIRST[kind])
    for text in (str(tmp_path / kind / FIRST[kind]), f"../shared/{kind} beside the clone", VARIABLE):
        assert text in str(skipped.value)
    (tmp_path / kind).mkdir()
    with pytest.raises(Failed, match=f"is there, but lacks {FIRST[kind]}"):
        shared_file(kind, FIRST[kind])
    (tmp_path / kind / FIRST[kind]).touch()
    assert shared_file(kind, "another", FIRST[kind]) == tmp_path / kind / FIRST[kind]


@pytest.mark.parametrize("kind", EXPECTED)
def test_an_error_names_the_option_and_what_is_expected(kind, tmp_path):
    for folder, why in ((tmp_path / "nowhere", "no such folder"), (tmp_path, r"has no \*\.zst")):
        with pytest.raises(TsujiError, match=f"--option {folder}: {why}; needed: ") as refused:
            checked_folder(folder, kind, "--option", "*.zst")
        for text in (EXPECTED[kind], f"../shared/{kind} beside the clone", f"set {VARIABLE} or --option"):
            assert text in str(refused.value)
    (tmp_path / "x.zst").touch()
    assert checked_folder(tmp_path, kind, "--option", "*.zst") == tmp_path


@pytest.mark.parametrize(("program", "option"), [(traces, "--traces"), (goal, "--goal")])
def test_benchmarks_say_which_files_they_want(program, option, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [program.__name__, option, str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 2
    assert f"error: {option} {tmp_path}: has no " in capsys.readouterr().err


def test_nothing_else_is_skipped():
    skipping = set()
    for path in [ROOT / "conftest.py", *(ROOT / "tests").rglob("*.py"), *(ROOT / "cocotb_tests").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in ("skip", "skipif", "importorskip", "xfail"):
                skipping.add(path.relative_to(ROOT).as_posix())
    assert skipping == SKIPS.keys()


def test_no_test_looks_for_shared_files_by_itself():
    for path in [*(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]:
        if path != Path(__file__):
            text = path.read_text(encoding="utf-8")
            assert '"shared"' not in text, path
            assert VARIABLE not in text, path
