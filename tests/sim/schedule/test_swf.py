"""Job logs (SWF), and the figures of paper A made from them."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from models.errors import TsujiError
from sim.schedule.swf import read_swf

HEAD = "; Computer: some\n; MaxNodes: 128\n; MaxProcs: 512\n"


def _log(path: Path, *sizes: int, head: str = HEAD, requested: int = -1) -> Path:
    jobs = [
        f"{number} {10 * number} 0 60 {size} -1 -1 {requested} -1 -1 1 1 1 -1 1 -1 -1 -1\n"
        for number, size in enumerate(sizes, 1)
    ]
    path.write_text(head + "".join(jobs))
    return path


def test_sizes_of_jobs(tmp_path: Path) -> None:
    log = read_swf(_log(tmp_path / "a.swf", 4, 8, 9, 64, 400, -1))
    assert log.processors_per_node == 4
    assert log.nodes.tolist() == [1, 2, 3, 16, 100]
    assert log.left_out == 1
    assert [log.share(nodes) for nodes in (0, 1, 3, 99, 100)] == [0.0, 0.2, 0.6, 0.8, 1.0]
    assert log.cdf()["share"].tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert log.jobs["submit_s"].tolist() == [10, 20, 30, 40, 50]
    assert [log.cache_entries(share) for share in (0.2, 0.6, 0.8, 1.0)] == [1, 4, 16, 128]


def test_requested_processors_where_those_allocated_are_not_known(tmp_path: Path) -> None:
    log = read_swf(_log(tmp_path / "a.swf", -1, 7, requested=32), processors_per_node=1)
    assert log.nodes.tolist() == [32, 7]


def test_jobs_that_never_ran_count_nothing(tmp_path: Path) -> None:
    """Cancelled before they began: no run time, no processors, but a request."""
    path = _log(tmp_path / "a.swf", 4, 16)
    path.write_text(path.read_text() + "3 30 -1 -1 0 -1 -1 512 -1 -1 5 1 1 -1 1 -1 -1 -1\n")
    log = read_swf(path)
    assert log.nodes.tolist() == [1, 4]
    assert log.left_out == 1


def test_compressed_and_without_head(tmp_path: Path) -> None:
    plain = _log(tmp_path / "a.swf", 5, 6, head="")
    packed = tmp_path / "a.swf.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_swf(packed).nodes.tolist() == read_swf(plain).nodes.tolist() == [5, 6]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3\n", "a.swf:1: 3 fields: expected the 18 of the Standard Workload Format"),
        ("; x\n1 a" + " 1" * 16 + "\n", "a.swf:2: `1 a 1 1"),
        ("; nothing\n", "a.swf: no job says how many processors it has"),
        ("1 nan" + " nan" * 16 + "\n", "a.swf:1: `1 nan"),
        ("1 1 1 1 99999999" + " 1" * 13 + "\n", "a.swf:1: 99999999 processors: expected at most"),
    ],
)
def test_bad_logs(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.swf").write_text(text)
    with pytest.raises(TsujiError, match=re.escape(message)):
        read_swf(tmp_path / "a.swf")


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(TsujiError, match="processors_per_node = 0"):
        read_swf(tmp_path / "a.swf", 0)
    with pytest.raises(TsujiError, match="no such file"):
        read_swf(tmp_path / "a.swf")
    with pytest.raises(TsujiError, match="share = 0"):
        read_swf(_log(tmp_path / "a.swf", 1)).cache_entries(0)
