"""The mutator of Python source, on functions given as text: its results, and what it refuses."""

import ast
from pathlib import Path

import pytest

from cocotb_tests.mutation import python_fault
from cocotb_tests.mutation.python_fault import Fault, faulty_copy, one_a_file
from models.errors import TsujiError
from synth.mutated import ROOT

SOURCE = """
def other(one, two):
    return one & two


def function(a, b, c):
    total = a & ~b | a & c
    for n in range(a.real):
        total |= n  # a comment
        other(total, n)
    return other(a, b) if a >= b else total - 1
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one module."""
    monkeypatch.setattr(python_fault, "ROOT", tmp_path)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "module.py").write_text(SOURCE)
    return tmp_path


def fault(*arguments: object, **named: object) -> Fault:
    return Fault("package.module.function", *arguments, **named)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("address", "old", "new"),
    [
        (fault("~", "drop operator"), "~b", "b"),
        (fault("|", "keep left"), "a & ~b | a & c", "a & ~b"),
        (fault("|", "keep right"), "a & ~b | a & c", "a & c"),
        (fault("&", "keep left", which=(1, 2)), "a & ~b", "a"),
        (fault("&", "swap operator", "^", which=(2, 2)), "a & c", "a ^ c"),
        (fault("&", "replace by constant", 0, which=(2, 2)), "a & c", "0"),
        (fault("other()", "replace by argument", 1, which=(2, 2)), "other(a, b)", "b"),
        (fault("other()", "set argument", (0, 7), which=(1, 2)), "other(total, n)", "other(7, n)"),
        (fault(".real", "read instead", "imag"), "a.real", "a.imag"),
        (fault("other()", "drop statement"), "other(total, n)", "pass"),
        (fault("|=", "drop statement"), "total |= n", "pass"),
        (fault("=", "drop statement"), "total = a & ~b | a & c", "pass"),
        (fault("if else", "set condition", True), "other(a, b) if a >= b else total - 1", "other(a, b)"),
        (fault("if else", "set condition", False), "other(a, b) if a >= b else total - 1", "total - 1"),
        (fault(">=", "replace by constant", True), "a >= b", "True"),
        (fault("-", "add one"), "total - 1", "total - 1 + 1"),
        (fault("for", "initialise in loop"), "total |= n", "total = a & ~b | a & c\n        total |= n"),
    ],
)
def test_operators(project: Path, address: Fault, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    assert address.source() == ast.unparse(ast.parse(SOURCE.replace(old, new)))


def test_names_of_variables_and_layout_do_not_matter(project: Path) -> None:
    address = fault("&", "keep left", which=(2, 2))
    before = address.source()
    renamed = SOURCE.replace("total", "every").replace("a & ~b | a & c", "(\n        a & ~b\n        | a & c\n    )")
    (project / "package" / "module.py").write_text(renamed)
    assert address.source() == before.replace("total", "every")


@pytest.mark.parametrize(
    ("address", "match"),
    [
        (Fault("package.missing.function", "&", "keep left"), "no package/missing.py"),
        (Fault("package.module.missing", "&", "keep left"), "no function missing"),
        (fault("&", "keep left"), "there are 2 of '&'"),
        (fault("&", "keep left", which=(3, 2)), "there are 2 of '&'"),
        (fault("+", "keep left"), "there are 0 of '\\+'"),
        (fault("~", "keep left"), "'keep left' is not for '~'"),
        (fault("|", "shake"), "'shake' is none of"),
        (fault("|", "swap operator", "?"), "does not know '\\?'"),
        (fault("|", "swap operator", "|"), "nothing changes"),
        (fault("~", "drop statement"), "there are 0 of '~'"),
        (fault("other()", "replace by argument", 2, which=(2, 2)), "does not know 2"),
        (fault("other()", "set argument", 2, which=(2, 2)), "does not know 2"),
    ],
)
def test_addresses_that_do_not_exist_are_refused(project: Path, address: Fault, match: str) -> None:
    with pytest.raises(TsujiError, match=match):
        address.source()


def test_only_a_loop_after_an_assignment_can_initialise(project: Path) -> None:
    (project / "package" / "module.py").write_text(SOURCE.replace("total = a &", "a &"))
    with pytest.raises(TsujiError, match="nothing changes"):
        fault("for", "initialise in loop").source()


def test_a_copy_has_the_fault_and_the_project_has_not(project: Path) -> None:
    address = fault("~", "drop operator")
    file = project / address.file
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("synth.mutated.ROOT", project)
        with faulty_copy(address) as folder:
            assert (folder / address.file).read_text(encoding="utf-8") == address.source()
    assert not folder.exists()
    assert file.read_text(encoding="utf-8") == SOURCE
    with faulty_copy(None) as folder:
        assert folder == project != ROOT


def test_one_a_file() -> None:
    faults = {"none": None, "a": Fault("m.a.f", "&", "keep left"), "b": Fault("m.a.g", "|", "keep left")}
    assert one_a_file(faults | {"c": Fault("m.c.f", "&", "keep left")}) == ["none", "a", "c"]
