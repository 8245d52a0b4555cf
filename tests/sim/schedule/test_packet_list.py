"""Lists of packets: each kind of file, and error messages."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from models.errors import TsujiError
from sim.messages.loggops import LogGOPS
from sim.schedule.files import open_schedule
from sim.schedule.job import Job
from sim.schedule.packet_list import PacketList
from sim.schedule.ti.trace import TraceOptions
from sim.workload.replay import replay_ideal

LINES = "# a comment\n100 0 1 64\n\n5000 2 1 128  # late\n100 1 2 1\n0 0 2 8\n"
IDEAL = LogGOPS(L=1000, o=10, g=0, G=1, S=1 << 20)


def test_packets_leave_in_their_cycle(tmp_path: Path) -> None:
    path = tmp_path / "list.packets"
    path.write_text(LINES)
    result = replay_ideal([Job(PacketList(path))], IDEAL)
    assert (result.messages, result.bytes) == (4, 201)
    # The last packet leaves at 5000 and takes o, L, o, and one byte time for each byte but the first.
    assert result.ranks.end.tolist() == [110, 5000 + 10 + 1000 + 10 + 127, 5010]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".packets"])
def test_all_kinds_of_files_are_the_same(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"list{suffix}"
    table = pd.DataFrame(
        [(100, 0, 1, 64), (5000, 2, 1, 128), (100, 1, 2, 1), (0, 0, 2, 8)], columns=["cycle", "src", "dst", "bytes"]
    )
    if suffix == ".csv":
        table.to_csv(path, index=False)
    elif suffix == ".parquet":
        table.to_parquet(path)
    else:
        path.write_text(LINES)
    schedule = open_schedule(path, TraceOptions())
    assert schedule.ranks == 3
    result = replay_ideal([Job(schedule)], IDEAL)
    assert (result.messages, result.run_time_ns) == (4, 6147)
    assert schedule.read == schedule.size


def test_many_packets_in_several_blocks(tmp_path: Path) -> None:
    path = tmp_path / "list.packets"
    path.write_text("".join(f"{10 * number} {number % 2} {1 - number % 2} 4\n" for number in range(9000)))
    result = replay_ideal([Job(PacketList(path))], LogGOPS(L=0, o=0, g=0, G=0))
    assert (result.messages, result.run_time_ns) == (9000, 89990)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.packets", "1 2 3\n", "a.packets:1: `1 2 3`: expected `<cycle> <src> <dst> <bytes>`"),
        ("a.packets", "1 0 1 8\n1 2 x 4\n", "a.packets:2: `1 2 x 4`"),
        ("a.packets", "1 -2 3 4\n", "a.packets:1: `1 -2 3 4`"),
        ("a.csv", "cycle,src,dst\n1,2,3\n", "a.csv: no column bytes; expected cycle, src, dst, bytes"),
        ("a.csv", "cycle,src,dst,bytes\n1,2,3,4\n1,2,0.5,4\n", "a.csv:3: dst = 0.5: expected a whole number"),
        ("a.csv", "cycle,src,dst,bytes\n1,2,3,4\n1,,3,4\n", "a.csv:3: src is missing: expected a whole number"),
        ("a.parquet", "nothing of the kind", "a.parquet: cannot be read"),
        ("a.packets", "1 0 7 8\n", "a.packets: node 7: expected nodes from 0 to 3"),
    ],
)
def test_bad_lists(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(TsujiError, match=re.escape(message)):
        PacketList(tmp_path / name, ranks=4)


def test_no_file() -> None:
    with pytest.raises(TsujiError, match="no such file"):
        PacketList(Path("nothing.packets"))
