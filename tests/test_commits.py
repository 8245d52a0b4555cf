"""Subjects of commits: short, and with the part in front."""

import subprocess
from pathlib import Path

import pytest

from tests.commit_subjects import LONGEST, fault_of, main

ROOT = Path(__file__).resolve().parent.parent
FIRST = "f9bc346"  # the last commit before subjects were checked


def git(*arguments: str) -> str:
    try:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"wants git and the history since {FIRST}, which a shallow clone has not: {error}")


def test_subjects_since_the_rule() -> None:
    subjects = git("log", "--no-merges", "--format=%s", f"{FIRST}..HEAD").splitlines()
    assert len(subjects) > 3
    wrong = {subject: fault for subject in subjects if (fault := fault_of(subject))}
    assert not wrong


@pytest.mark.parametrize(
    "subject",
    ["models/lpi: wake on a hint during sleep", "docs, Makefile: what make test takes", "make lint: x", "hdl/*: y z"],
)
def test_subjects_of_the_form(subject: str) -> None:
    assert fault_of(subject) == ""


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("Leave sweeps of workloads to tsuji sweep", "not of the form"),
        ("sim/engine name the eager rule", "not of the form"),
        ("sim/engine:name the eager rule", "not of the form"),
        ("sim/engine: ", "not of the form"),
        ("sim/engine: name the eager rule.", "not of the form"),
        ("two words: name the eager rule", "not of the form"),
        (f"sim: {'x' * (LONGEST - 4)}", "has 73 characters; at most 72"),
    ],
)
def test_other_subjects(subject: str, fault: str) -> None:
    assert fault in fault_of(subject)
    assert fault_of(f"sim: {'x' * (LONGEST - 5)}") == ""


def test_the_hook_reads_a_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "COMMIT_EDITMSG"
    for text, code in (("sim: good\n\nMore, with: colons.\n", 0), ("Bad\n", 1), ("fixup! Bad\n", 0), ("Merge x\n", 0)):
        file.write_text(text, encoding="utf-8")
        assert main(file) == code
    assert capsys.readouterr().err.count("'Bad' is not of the form") == 1
