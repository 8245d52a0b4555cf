"""GOAL files: accepted input, and error messages with line numbers."""

import re

import pytest
import zstandard

from models.errors import TsujiError
from sim.schedule.goal import read_goal
from sim.schedule.operations import ANY, CALC, RECV, SEND

GOOD = """num_ranks 2 // of them
/* a comment
   of two lines */
rank 1 {
a: recv 7b from -1 tag -1 cpu 1 nic 2
calc 5 cpu 1
a requires later
a irequires later
later: calc 9
}
rank 0 { /* in any order */
l1: send 7b to 1 tag 3
l2: calc 4
l2 requires l1
}
"""


def read(tmp_path, text):
    path = tmp_path / "x.goal"
    path.write_text(text)
    return read_goal(path)


@pytest.mark.parametrize("packed", [False, True])
def test_all_of_the_language(tmp_path, packed):
    path = tmp_path / ("x.goal.zst" if packed else "x.goal")
    path.write_bytes(zstandard.compress(GOOD.encode()) if packed else GOOD.encode())
    found = read_goal(path)
    assert (found.ranks, found.cpus, found.nics, found.total, found.whole) == (2, 2, 3, 5, True)
    first, second = (next(found.blocks(rank)) for rank in range(2))
    assert first.kind.tolist() == [SEND, CALC]
    assert (first.peer[0], first.size.tolist(), first.tag[0]) == (1, [7, 4], 3)
    assert first.first.tolist() == [0, 0, 1]
    assert first.requires.tolist() == [0]
    assert second.kind.tolist() == [RECV, CALC, CALC]
    assert (second.peer[0], second.tag[0], second.cpu.tolist(), second.nic[0]) == (ANY, ANY, [1, 1, 0], 2)
    assert second.first.tolist() == [0, 2, 2, 2]
    assert second.requires.tolist() == [2, 2]
    assert second.on_start.tolist() == [False, True]


RANK = "num_ranks 2\nrank 0 {\n%s\n}\nrank 1 {\n}\n"
BAD = {
    "": ":0: nothing: expected num_ranks N",
    "num_ranks 0\n": ":1: 'num_ranks 0': expected 1 to 1048576 ranks",
    "num_ranks 1048577\n": ":1: 'num_ranks 1048577': expected 1 to 1048576 ranks",
    "rank 0 {\n}\n": ":1: 'rank 0 {': expected num_ranks N before it",
    "num_ranks 2\nrank 0 {\n}\n": ":3: no rank 1: expected rank 0 to rank 1",
    "num_ranks 1\nrank 1 {\n}\n": ":2: rank 1: expected 0 to 0",
    "num_ranks 1\nrank 0 {\n}\nrank 0 {\n": ":4: rank 0 again: expected each rank once",
    "num_ranks 1\nrank 0 {\ncalc 1\n": ":2: rank 0 { without end: expected }",
    "num_ranks 1\n/* never\nrank 0 {\n}\n": ":2: a comment without end: expected */",
    "num_ranks 1\nnum_ranks 1\n": ":2: 'num_ranks 1': expected num_ranks only once",
    RANK % "send 1b to 2": ":3: rank 2: expected 0 to 1",
    RANK % "send 1b to -1": ":3: 'send 1b to -1': expected `[label:] send",
    RANK % "recv 1b from 5 tag 1": ":3: rank 5: expected 0 to 1",
    RANK % "send 1b to 1 tag -1": ":3: send with tag -1: expected a tag of at least 0",
    RANK % "send 1 to 1": ":3: 'send 1 to 1': expected `[label:] send",
    RANK % "calc x": ":3: 'calc x': expected",
    RANK % "calc 99999999999999": ":3: a number: expected sizes and tags up to",
    RANK % "calc 1 cpu 128": ":3: a number: expected sizes",
    RANK % "a: calc 1\na: calc 2": ":4: label 'a' again: expected each label once a rank",
    RANK % "a: calc 1\na requires b": ":4: label 'b': expected one of an operation of this rank",
    RANK % "a: calc 1\nb requires a": ":4: label 'b': expected one",
    RANK % "shout": ":3: 'shout': expected",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_lines(tmp_path, text):
    with pytest.raises(TsujiError, match=re.escape("x.goal" + BAD[text])):
        read(tmp_path, text)


def test_files_that_are_none(tmp_path):
    with pytest.raises(TsujiError, match="no such file"):
        read_goal(tmp_path / "none.goal")
    for name, content in (
        ("x.goal", b"\xff\xfe"),
        ("x.goal.zst", b"no archive"),
        ("y.goal.zst", zstandard.compress(GOOD.encode())[:-9]),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(TsujiError, match=re.escape(name)):
            read_goal(tmp_path / name)
