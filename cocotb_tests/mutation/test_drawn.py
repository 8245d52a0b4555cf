import os
from pathlib import Path

import pytest

from cocotb_tests.mutation.candidates import Candidate
from cocotb_tests.mutation.drawn import _failed, drawn, judged
from models.errors import TsujiError

SOURCE = "def double(x):\n    return x * 2\n\n\ndef half(x):\n    return x // 2\n"
TEST = "from models.part import double\n\n\ndef test_double():\n    assert double(3) == 6\n"
CONFTEST = "def pytest_addoption(parser):\n    parser.addoption('--within-cpu')\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one module, of which one function is tested."""
    for file, text in {
        "models/part.py": SOURCE,
        "models/alone.py": "X = 1\n",
        "tests/models/test_part.py": TEST,
        "conftest.py": CONFTEST,
        "pytest.ini": "[pytest]\nmarkers = campaign\n",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    return tmp_path


def fault(file: str, source: str, old: str, new: str) -> Candidate:
    return Candidate(file, 1, source.index(old), source.index(old) + len(old), old, new)


def test_a_fault_that_a_test_notices(project: Path) -> None:
    verdict = judged(fault("models/part.py", SOURCE, "x * 2", "x + 2"), project, 20)
    assert verdict.killed
    assert verdict.by == "tests/models/test_part.py::test_double"
    assert (project / "models/part.py").read_text(encoding="utf-8") == SOURCE


def test_bytecode_of_a_fault_does_not_outlive_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = project / "models/part.py"
    write = Path.write_text

    def write_in_one_second(path: Path, text: str, encoding: str) -> None:
        write(path, text, encoding=encoding)
        os.utime(path, (1e9, 1e9))

    monkeypatch.setattr(Path, "write_text", write_in_one_second)
    assert judged(fault("models/part.py", SOURCE, "x * 2", "x + 2"), project, 20).killed
    assert part.stat().st_mtime == 1e9
    assert judged(fault("models/part.py", SOURCE, "x * 2", "x - 2"), project, 20).killed


def test_the_name_is_that_of_the_summary() -> None:
    log = "ERROR    Verilator:runner.py:1 ERROR: Failed 1 of 1 tests.\n"
    assert (
        _failed(f"{log}== short test summary info ==\nFAILED tests/test_a.py::test_b - assert 0\n")
        == "tests/test_a.py::test_b"
    )
    assert _failed(log + "no tests ran") == ""


def test_a_fault_that_no_test_notices(project: Path) -> None:
    assert judged(fault("models/part.py", SOURCE, "x // 2", "x * 2"), project, 20)[1:] == (False, "")


def test_a_fault_that_never_ends(project: Path) -> None:
    verdict = judged(fault("models/part.py", SOURCE, "return x * 2", "while True: pass"), project, 1)
    assert verdict.killed
    # On a busy machine the time is over first.
    assert verdict.by in ("does not end in 3 s of CPU time", "does not end in 10 s")


def test_a_fault_that_crashes(project: Path) -> None:
    """As compiled code does that writes outside its arrays."""
    crash = "import os\n    os.abort()"
    assert judged(fault("models/part.py", SOURCE, "return x * 2", crash), project, 20)[1:] == (True, "a test crashes")


def test_a_file_without_tests(project: Path) -> None:
    assert judged(fault("models/alone.py", "X = 1\n", "1", "2"), project, 20).by == "no test depends on it"


def test_a_test_that_always_fails_shows_nothing(project: Path) -> None:
    (project / "tests/models/test_part.py").write_text(TEST.replace("6", "7"), encoding="utf-8")
    with pytest.raises(TsujiError, match=r"test_part.py::test_double fails in .* without a fault, too"):
        judged(fault("models/part.py", SOURCE, "x * 2", "x + 2"), project, 20)


def test_a_seed_draws_the_same_faults(project: Path) -> None:
    first = drawn(4, 1, project, ["models"])
    assert first == drawn(4, 1, project, ["models"])
    assert {each.file for each in first} <= {"models/part.py", "models/alone.py"}
    with pytest.raises(TsujiError, match="--count 99: must be at most 9, the number of changes that there are"):
        drawn(99, 1, project, ["models"])
