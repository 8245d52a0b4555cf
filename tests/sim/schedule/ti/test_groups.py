"""Collectives of a trace in groups of ranks."""

import pytest

from models.errors import TsujiError
from sim.schedule.operations import RECV, SEND
from sim.schedule.ti.groups import GroupRule
from sim.schedule.ti.trace import TiTrace, TraceOptions


def trace(folder, ranks, line):
    for rank in range(ranks):
        (folder / f"rank{rank}.txt").write_text(f"{rank} init\n{rank} {line}\n{rank} finalize\n")
    return folder


def messages(schedule, rank):
    """Return the messages of a rank: sends and receives as (whether it sends, peer, bytes)."""
    found = set()
    for block in schedule.blocks(rank):
        for kind, peer, size in zip(block.kind, block.peer, block.size, strict=True):
            if kind in (SEND, RECV):
                found.add((bool(kind == SEND), int(peer), int(size) if kind == SEND else 0))
    return found


@pytest.mark.parametrize(
    ("text", "rank", "members"),
    [("alltoall 4: 2", 5, [4, 5]), ("alltoall 4: 4 stride 2", 5, [1, 3, 5, 7]), ("alltoall 4: 2 stride 2", 6, [4, 6])],
)
def test_who_is_in_a_group(text, rank, members):
    rule = GroupRule.parse(text)
    assert str(rule) == text
    assert list(rule.members(rank)) == members


def test_a_collective_runs_among_the_ranks_of_each_group(tmp_path):
    """Eight ranks; of 5 consecutive bytes (type 2, char) each of 1, 3, 5, 7 sends to each other one."""
    path = trace(tmp_path, 8, "alltoall 5 5 2 2")
    grouped = TiTrace(path, TraceOptions(groups=[GroupRule.parse("alltoall 5: 4 stride 2")]))
    assert messages(grouped, 3) == {(True, peer, 5) for peer in (1, 5, 7)} | {(False, peer, 0) for peer in (1, 5, 7)}
    other = TiTrace(path, TraceOptions(groups=[GroupRule.parse("alltoall 6: 4 stride 2")]))
    assert {peer for _, peer, _ in messages(other, 3)} == {0, 1, 2, 4, 5, 6, 7}


def test_roots_are_ranks_of_the_group(tmp_path):
    path = trace(tmp_path, 4, "bcast 3 1 2")
    grouped = TiTrace(path, TraceOptions(groups=[GroupRule.parse("bcast 3: 2")]))
    assert messages(grouped, 3) == {(True, 2, 3)}
    assert messages(grouped, 2) == {(False, 3, 0)}


@pytest.mark.parametrize(
    "text", ["alltoall", "alltoall 4", "alltoall 4: 0", "alltoall 4: 2 stride 0", "alltoallv 4: 2", "Alltoall 4: 2"]
)
def test_what_writes_no_rule(text):
    with pytest.raises(TsujiError, match=r"no rule of groups; write `COLLECTIVE COUNT: SIZE`"):
        GroupRule.parse(text)


def test_groups_must_divide_the_ranks(tmp_path):
    path = trace(tmp_path, 6, "alltoall 5 5 2 2")
    with pytest.raises(TsujiError, match=r"'alltoall 5: 4': groups of 4 ranks at stride 1 do not divide 6 ranks"):
        TiTrace(path, TraceOptions(groups=[GroupRule.parse("alltoall 5: 4")]))


def test_a_rule_that_no_line_matches_is_named(tmp_path):
    path = trace(tmp_path, 4, "alltoall 5 5 2 2")
    rules = [GroupRule.parse(text) for text in ("alltoall 5: 2", "alltoall 7: 2")]
    read = TiTrace(path, TraceOptions(groups=rules))
    with pytest.warns(UserWarning, match=r"--group 'alltoall 7: 2' has no effect: no line is alltoall 7") as told:
        assert [len(list(read.blocks(rank))) for rank in range(4)] == [1] * 4
    assert len(told) == 1
