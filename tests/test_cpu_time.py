"""Order of tests by their CPU time."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cpu_time import TABLE, Recorder, by_folder, longest_first, read_table, write_table

SECONDS = {"long": 50.0, "middle": 20.0, "short": 1.0}


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_every_test_once(workers: int) -> None:
    functions = ["a", "long", "short", "b", "middle", "long", "c", "d", "short", "a"]
    assert sorted(longest_first(functions, SECONDS, workers)) == list(range(len(functions)))
    assert longest_first([], SECONDS, workers) == []


def test_workers_begin_with_what_takes_long() -> None:
    functions = ["a"] * 20 + ["short"] * 4 + ["middle", "middle", "long"]
    order = [functions[place] for place in longest_first(functions, SECONDS, 2)]
    half = len(functions) // 2
    assert order[:1] == ["long"]
    assert order[half : half + 6] == ["middle"] * 2 + ["short"] * 4
    assert set(order[1:half]) == set(order[half + 6 :]) == {"a"}


def test_the_table_holds_means_of_what_takes_long(tmp_path: Path) -> None:
    file = tmp_path / "new" / "table.tsv"
    write_table(file, {"x.py::f[1]": 1.0, "x.py::f[2]": 2.0, "x.py::g": 8.0, "x.py::h": 0.1})
    assert file.read_text(encoding="utf-8") == "8.0\tx.py::g\n1.5\tx.py::f\n"
    assert read_table(file) == {"x.py::g": 8.0, "x.py::f": 1.5}


def test_folders_are_summed_to_the_stage() -> None:
    spent = {"tests/a/test_x.py::f[1]": 1.0, "tests/a/test_y.py::g": 2.0, "cocotb_tests/unit/route/cam/t.py::h": 4.0}
    assert by_folder(spent) == {"cocotb_tests/unit/route": (1, 4.0), "tests/a": (2, 3.0)}


def test_our_table_is_read() -> None:
    """Of functions that there are: a test that has moved, or has another name, would be taken for a quick one."""
    assert read_table()
    defined: dict[str, set[str]] = {}
    for name in read_table():
        file, _, function = name.partition("::")
        if file not in defined:
            text = (TABLE.parents[1] / file).read_text(encoding="utf-8")
            defined[file] = set(re.findall(r"^def (test_\w+)\(", text, re.MULTILINE))
        assert function in defined[file], f"tests/cpu_seconds.tsv: {name}"


def test_a_run_that_is_ended_early_leaves_a_table(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "table.tsv")
    for number in range(60):
        report: Any = SimpleNamespace(when="teardown", nodeid=f"x.py::f[{number}]", cpu_s=2.0)
        recorder.pytest_runtest_logreport(report)
    assert read_table(tmp_path / "table.tsv") == {"x.py::f": 2.0}
