"""Every command of the tutorials is run, and prints what the pages show."""

import re
import shutil

import pytest

from tests.docs.tutorial import FENCE, ROOT, Command, commands, first_missed, follow, run

TUTORIALS = ROOT / "docs" / "tutorials"
PAGES = sorted(TUTORIALS.glob("*.md"))
FOLLOWED = ("first_network", "first_switch", "first_program")
SOURCES = ("cocotb_tests", "examples", "hdl", "models", "sim", "synth", "tests", "tsuji")


def share_builds(folder):
    """Let Verilated designs be those of other runs, which no tutorial is about."""
    (folder / "build").mkdir()
    (ROOT / "build" / "verilated").mkdir(parents=True, exist_ok=True)
    (folder / "build" / "verilated").symlink_to(ROOT / "build" / "verilated")


@pytest.mark.parametrize("name", FOLLOWED)
def test_tutorial(name, tmp_path):
    share_builds(tmp_path)
    assert list(follow(TUTORIALS / f"{name}.md", tmp_path))


def test_new_predictor(tmp_path):
    """The tutorial that changes sources is followed in a copy of them."""
    for name in SOURCES:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    share_builds(tmp_path)
    assert list(follow(TUTORIALS / "new_predictor.md", tmp_path, tmp_path))


def test_every_tutorial_is_followed():
    assert {page.stem for page in PAGES} == {*FOLLOWED, "new_predictor", "index"}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert text.count("```") == 2 * len(FENCE.findall(text)), f"{page.name}: a block that is not understood"
        assert not re.search(r"^    \$ ", text, re.MULTILINE), f"{page.name}: a command that is not run"


def test_commands_of_a_block():
    assert commands("$ a \\\n  b\nc  d\n\n$ e\n") == [Command("a   b", ["c  d"]), Command("e", [])]


def test_lines_that_differ_are_found():
    printed = " load  accepted\n ─────\n 0.1     0.1017  in 0.04 s\n saturated: it grew\n"
    assert first_missed(["load accepted", " 0.1 0.1017 in 1.2 s", "…", "saturated: …"], printed) is None
    assert first_missed([" 0.1 0.1018 in 0.04 s"], printed) == " 0.1 0.1018 in 0.04 s"
    assert first_missed(["saturated: …", "load accepted"], printed) == "load accepted", "in the order shown"
    assert first_missed(["0.1"], printed) == "0.1", "whole lines"


@pytest.mark.parametrize(
    ("line", "shown", "passes"),
    [
        ("echo a", ["a"], True),
        ("echo a", ["b"], False),
        ("echo 'error: a'; exit 2", ["error: a"], True),
        ("echo 'error: a'; exit 2", [], False),
        ("echo 'error: a'", ["error: a"], False),
    ],
)
def test_a_command_that_fails_unexpectedly_is_found(line, shown, passes, tmp_path):
    if passes:
        run(Command(line, shown), tmp_path, ROOT)
    else:
        with pytest.raises(AssertionError):
            run(Command(line, shown), tmp_path, ROOT)


def test_a_change_needs_its_place(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\ny = 2\n")
    page = tmp_path / "page.md"
    page.write_text('```diff title="a.py"\n x = 1\n-y = 2\n+y = 3\n```\n')
    assert list(follow(page, tmp_path)) == ["changed a.py"]
    assert (tmp_path / "a.py").read_text() == "x = 1\ny = 3\n"
    with pytest.raises(AssertionError, match="stands there 0 times"):
        list(follow(page, tmp_path))
