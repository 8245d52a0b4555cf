from pathlib import Path

import pytest

from cocotb_tests.mutation.drawn import RECORD
from cocotb_tests.mutation.drawn_record import JUDGEMENTS, Tried, add_fault, read_record, summary
from models.errors import TsujiError
from synth.mutated import ROOT

CAMPAIGNS = ROOT / "docs" / "reference" / "campaigns.md"


def test_the_record_is_what_the_table_of_campaigns_says() -> None:
    record = read_record(RECORD)
    assert summary(record) in CAMPAIGNS.read_text(encoding="utf-8")
    assert len({tried.fault for tried in record}) == len(record)
    assert not any(tried.killed and tried.judgement for tried in record)


def test_judgements_name_tests_that_exist() -> None:
    for tried in read_record(RECORD):
        kind = next((kind for kind in JUDGEMENTS[1:] if tried.judgement.startswith(kind)), "")
        if kind:
            assert (ROOT / tried.judgement.removeprefix(kind).split("::")[0]).exists(), tried


def test_faults_add_up(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "record.tsv"
    assert read_record(path) == []
    tried = [
        Tried("a.py:1: x -> y", True, "tests/test_a.py::test_b", "1234567"),
        Tried("a.py:2: x -> y", True, "does not end in 3 s", "1234567"),
        Tried("a.py:3: 1 -> 2", False, "", "1234567", "equivalent: nothing reads it"),
        Tried("a.py:4: 1 -> 2", False, "", "1234567", "killed: tests/test_c.py"),
        Tried("a.py:5: 1 -> 2", False, "", "1234567", "test: tests/test_d.py"),
        Tried("a.py:6: 1 -> 2", False, "", "1234567"),
    ]
    for each in tried:
        add_fault(path, each)
    assert read_record(path) == tried
    # Of six faults one is equivalent; of the five others three were killed.
    assert summary(tried) == (
        "6 faults: 2 killed within the time, 1 by a test beyond it, 1 equivalent, 1 have a test since, 1 not judged; "
        "60.0 % of the faults that change something were killed by the tests of their commit"
    )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("a\tTrue\t\t1", "line 2 = .*: must be fault, killed, by, commit, judgement"),
        ("a\tyes\t\t1\t", "line 2 = .*: must be fault, killed, .*: killed = yes: must be True or False"),
        ("a\tFalse\t\t1\tgood", "line 2 = .*: judgement must begin with one of equivalent: , killed: , test: "),
    ],
)
def test_bad_lines_are_refused(line: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "record.tsv"
    path.write_text("\t".join(Tried._fields) + f"\n{line}\n", encoding="utf-8")
    with pytest.raises(TsujiError, match=complaint):
        read_record(path)
    path.write_text(f"fault\n{line}\n", encoding="utf-8")
    with pytest.raises(TsujiError, match="line 1 must be fault"):
        read_record(path)
