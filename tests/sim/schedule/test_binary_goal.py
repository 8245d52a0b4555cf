"""Binary GOAL files, written here by hand, byte by byte."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from models.errors import TsujiError
from sim.messages.loggops import LogGOPS
from sim.schedule.binary_goal import MAGIC, OPERATION, USED_UP, is_binary_goal, read_binary_goal
from sim.schedule.files import open_schedule
from sim.schedule.goal import read_goal
from sim.schedule.operations import ANY, CALC, RECV, SEND
from sim.schedule.ti.trace import TraceOptions
from sim.workload.replay import open_jobs, replay_ideal

ANY32 = 0xFFFFFFFF
SENDS = [  # calc 100; send 1000 bytes to 1 with tag 7 after it, by CPU 1 and interface 2
    (0, 3, 0, 100, 0, 0, 0, 1, 0, 0, 1),
    (1, 1, 1, 1000, 7, 1, 2, 0, 1, 0, 1),
]
RECEIVES = [  # calc 5 after the start of a receive of anything; then calc 6 after the ends of both
    (0, 2, ANY32, 1000, ANY32, 0, 0, 1, 0, 1, 1),
    (1, 3, 0, 5, 0, 0, 0, 1, 2, 0, 3),
    (2, 3, 0, 6, 0, 1, 0, 0, 3, 0, 3),
]
TEXT = """num_ranks 2
rank 0 {
l1: calc 100
l2: send 1000b to 1 tag 7 cpu 1 nic 2
l2 requires l1
}
rank 1 {
l1: recv 1000 b from -1 tag -1
l2: calc 5
l3: calc 6 cpu 1
l3 requires l1
l2 irequires l1
l3 requires l2
}
"""


def rank(operations: Sequence[tuple[int, ...]], numbers: list[int]) -> bytes:
    """Return the bytes of a rank: counts, roots, operations, and the numbers of those that wait."""
    roots = [k for k, each in enumerate(operations) if not each[0]]
    head = struct.pack(f"<{2 + len(roots)}I", len(operations), len(roots), *roots)
    middle = b"".join(struct.pack("<IbIQIBBIIII", *each) for each in operations)
    return head + middle + struct.pack(f"<{len(numbers)}I", *numbers)


def schedule(*ranks: bytes, magic: int = MAGIC) -> bytes:
    """Return the bytes of a file."""
    begin = 4 + 2 + 16 * len(ranks)
    table, rest = b"", b"".join(ranks)
    for each in ranks:
        table += struct.pack("<QQ", begin, begin + len(each))
        begin += len(each)
    return struct.pack("<QIBB", magic, len(ranks), 1, 2) + table + rest


GOOD = schedule(rank(SENDS, [1]), rank(RECEIVES, [2, 1, 2]))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "schedule.bin"
    path.write_bytes(GOOD)
    return path


def test_an_operation_has_39_bytes() -> None:
    assert OPERATION.itemsize == struct.calcsize("<IbIQIBBIIII") == 39


@pytest.mark.parametrize("packed", [False, True])
def test_operations_are_those_of_the_text(path: Path, tmp_path: Path, packed: bool) -> None:
    text = tmp_path / "text"
    text.write_text("// without an ending that tells it\n" + TEXT)
    if packed:
        path.write_bytes(gzip.compress(GOOD))
    binary = open_schedule(path, TraceOptions())
    assert (binary.ranks, binary.cpus, binary.nics, binary.total) == (2, 2, 3, 5)
    first, second = (next(binary.blocks(rank)) for rank in range(2))
    assert (first.kind.tolist(), first.size.tolist()) == ([CALC, SEND], [100, 1000])
    assert (second.peer.tolist(), second.tag.tolist()) == ([ANY, 0, 0], [ANY, 0, 0])
    assert (second.kind[0], second.on_start.tolist()) == (RECV, [True, False, False])
    for number, each in enumerate((first, second)):
        same = next(open_schedule(text, TraceOptions()).blocks(number))
        for name in ("kind", "peer", "size", "tag", "cpu", "nic", "first", "requires", "on_start"):
            assert getattr(each, name).tolist() == getattr(same, name).tolist(), name


def test_times_are_those_of_the_text(path: Path, tmp_path: Path) -> None:
    text = tmp_path / "a.goal"
    text.write_text(TEXT)
    ideal = LogGOPS.parse("L=2500,o=1500,g=1000,G=6,O=0,S=65535")
    times = [replay_ideal(open_jobs([str(each)]), ideal).run_time_ns for each in (path, text)]
    assert times[0] == times[1] == 100 + 2500 + 2 * 1500 + 999 * 6 + 6


def changed(place: int, kind: str, value: int) -> bytes:
    """Return the file with another number at a byte."""
    return GOOD[:place] + struct.pack(kind, value) + GOOD[place + struct.calcsize(kind) :]


OF_RANK_0 = 8 + 4 + 2 + 32  # byte where rank 0 begins; its operations begin after two counts and one root
FIRST = OF_RANK_0 + 12
SECOND = FIRST + 39
BAD = {
    "empty": (b"", "byte 0: 8 bytes from here: the file has 0"),
    "used up": (schedule(rank(SENDS, [1]), magic=USED_UP), r"byte 0: used up by LogGOPSim --save-mem"),
    "no ranks": (changed(8, "<I", 0), r"byte 8: 0 ranks: expected 1 to"),
    "many ranks": (changed(8, "<I", 3), r"byte 30: rank 1 from byte|byte 14: rank 0 from byte"),
    "cut table": (GOOD[:30], r"byte 14: 32 bytes from here: the file has 30"),
    "cut": (GOOD[:-1], r"byte 30: rank 1 from byte 140 to 281: not within the file"),
    "far": (changed(14, "<Q", 1 << 60), r"byte 14: rank 0 from byte \d+ to 140: not within the file"),
    "operations": (changed(OF_RANK_0, "<I", 1 << 31), r"byte 46: 2147483648 operations and 1 roots: more than"),
    "roots": (changed(OF_RANK_0 + 4, "<I", 1 << 31), r"byte 46: 2 operations and 2147483648 roots"),
    "kind": (changed(FIRST + 4, "<b", 4), r"byte 58: operation 0: kind = 4: expected 1 \(send\), 2"),
    "zero kind": (changed(FIRST + 4, "<b", 0), r"byte 58: operation 0: kind = 0: expected 1 \(send\), 2"),
    "negative kind": (changed(FIRST + 4, "<b", -1), r"byte 58: operation 0: kind = -1"),
    "peer": (changed(SECOND + 5, "<I", 2), r"byte 97: operation 1: peer = 2: expected a rank from 0 to 1"),
    "any peer": (changed(SECOND + 5, "<I", ANY32), r"byte 97: operation 1: peer = 4294967295"),
    "size": (changed(SECOND + 9, "<Q", 1 << 63), r"byte 97: operation 1: size = 9223372036854775808"),
    "tag": (changed(SECOND + 17, "<I", ANY32), r"byte 97: operation 1: tag = 4294967295: expected a tag, as"),
    "cpu": (changed(SECOND + 21, "<B", 128), r"byte 97: operation 1: cpu = 128: expected below 128"),
    "nic": (changed(SECOND + 22, "<B", 255), r"byte 97: operation 1: nic = 255"),
    "count": (changed(FIRST + 23, "<I", 2), r"byte 58: 2 operations that wait: 1 are named"),
    "place": (changed(FIRST + 27, "<I", 1), r"byte 58: operation 0: ends 1 from 1: more than there are"),
    "number": (changed(SECOND + 39, "<I", 2), r"byte 58: operation 2 waits: expected operations below 2"),
    "waits": (changed(SECOND, "<I", 2), r"byte 97: operation 1 waits for 2: others say otherwise"),
}


@pytest.mark.parametrize("what", BAD)
def test_damaged_files(path: Path, what: str) -> None:
    data, said = BAD[what]
    path.write_bytes(data)
    with pytest.raises(TsujiError, match=rf"schedule\.bin: ({said})"):
        read_binary_goal(path)


def test_damaged_compression(path: Path) -> None:
    path.write_bytes(gzip.compress(GOOD)[:-8])
    with pytest.raises(TsujiError, match=r"schedule\.bin: cannot be read: "):
        read_binary_goal(path)
    path.write_bytes(gzip.compress(TEXT.encode())[:-8])
    with pytest.raises(TsujiError, match=r"schedule\.bin:\d+: .*: expected GOAL text"):
        read_goal(path)


def test_only_the_first_bytes_tell_a_binary_schedule(path: Path, tmp_path: Path) -> None:
    assert is_binary_goal(path)
    assert not is_binary_goal(tmp_path)
    path.write_bytes(GOOD[1:])
    assert not is_binary_goal(path)
