"""Broken schedules and traces are read, or end in one line with the file and the line or byte."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import TsujiError
from sim.schedule.files import open_schedule
from sim.schedule.ti.trace import TraceOptions
from tests.sim.broken_files import LOOKS, broken
from tests.sim.schedule.test_binary_goal import GOOD, TEXT

TRACE = b"""# both ranks
0 init 1
1 init
0 compute 1e3
0 isend 1 5 1e2
1 irecv 0 5 1e2 6
0 test 0 1 5
0 wait 0 1 5
1 waitall
0 comm_size 2
0 bcast 8 1 6
1 bcast 8 1 6
0 reduce 8 100 0 1
1 reduce 8 100 0 1
0 allgatherv 3 3 4 6 6
1 allgatherv 4 3 4 6 6
0 sendRecv 1 1 1 1
1 sendRecv 8 0 8 0 6 6
0 sleep 0.001
0 finalize
1 finalize
"""
PACKETS = b"# cycle src dst bytes\n0 0 1 64\n5 1 0 128\n9 2 1 1\n"
GOOD_FILES = {"trace": TRACE, "a.goal": TEXT.encode(), "goal.bin": GOOD, "p.packets": PACKETS, "trace.gz": TRACE}
WITHOUT_A_LINE = r"no rank's file in it|is no text|cannot be unpacked"
"""What is said of a file that has no lines."""


def read(path: Path) -> None:
    """Read all operations of a file, alternating between the ranks, as a run does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schedule = open_schedule(path, TraceOptions())
        readers = {rank: schedule.blocks(rank) for rank in range(min(schedule.ranks, 1 << 10))}
        while readers:
            for rank in list(readers):
                if (block := next(readers[rank], None)) is None:
                    del readers[rank]
                else:
                    block.check(schedule.ranks, str(path))


def ends_in_one_line(act: Callable[[], None], path: Path, without: str) -> None:
    """Assert that an act succeeds, or is refused in a line that names a file and its line, byte or row."""
    try:
        act()
    except TsujiError as error:
        said = str(error)
        assert said.isprintable(), said
        place = rf"{re.escape(str(path))}(:\d+|: byte \d+|: row \d+)"
        assert re.search(place, said) or (str(path) in said and re.search(without, said)), said


@pytest.mark.parametrize("name", GOOD_FILES)
def test_broken_files_end_in_one_line(name: str) -> None:
    @LOOKS
    @given(broken(GOOD_FILES[name]), st.booleans())
    def look(data: bytes, before: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
            ends_in_one_line(lambda: read(path), path, WITHOUT_A_LINE)

    look()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("trace", TRACE.replace(b"0 bcast 8 1", b"0 bcast 8 2")),
        ("a.goal", TEXT.encode().replace(b"to 1", b"to 2")),
        ("goal.bin", GOOD[:-1]),
        ("p.packets", PACKETS + b"1 2\n"),
    ],
)
def test_the_command_ends_with_exit_code_2(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    start = "import sys; from tsuji.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", start, "replay", str(path), "--ideal", "L=2500,o=1500,g=1000,G=6,O=0,S=65535"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert re.match(rf"error: {re.escape(str(path))}(:\d+|: byte \d+): ", line), line
