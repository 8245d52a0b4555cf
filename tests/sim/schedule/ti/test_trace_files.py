"""Traces as folder, list, one file of all ranks and archive, compressed or not, are the same trace."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path
from typing import Literal

import pytest
import zstandard

from models.errors import TsujiError
from sim.schedule.ti import one_file
from sim.schedule.ti.trace import TiTrace
from tests.sim.schedule.ti.traces import graph, in_turn, write

RANKS = ("compute 10; send 1 1 9", "recv 0 1 9")
LINES = ["0 init", "1 init", "# both", "0 compute 10", "1 recv 0 1 9", "", "0 send 1 1 9", "1 finalize", "0 finalize"]


def packed(path: Path, how: str) -> Path:
    """Write a file compressed beside itself, with no ending that tells it."""
    into = path.with_name(f"{path.name}-{how}")
    compress = {"gzip": gzip.compress, "zstd": zstandard.ZstdCompressor().compress}[how]
    into.write_bytes(compress(path.read_bytes()))
    return into


def same(path: Path, folder: Path) -> None:
    """Assert that a trace is the one of a folder."""
    expected = [graph(rank) for rank in in_turn(TiTrace(folder))]
    assert len(expected) == 2
    assert [graph(rank) for rank in in_turn(TiTrace(path))] == expected


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "ranks", *RANKS)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "whole"
    path.write_text("\n".join(LINES) + "\n")
    return path


@pytest.mark.parametrize("how", ["", "gzip", "zstd"])
def test_one_file_of_all_ranks(folder: Path, whole: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_file, "BUFFER", 20)
    same(packed(whole, how) if how else whole, folder)


@pytest.mark.parametrize("name", ["any name", "a.trace", "b.ti"])
def test_lists_may_have_any_name(folder: Path, name: str) -> None:
    listed = folder / name
    listed.write_text("# ranks\nrank0000.txt\n\n  ranks/rank0001.txt\n")
    same(listed, folder)
    same(packed(listed, "gzip"), folder)


def test_a_list_of_one_file_names_that_of_all_ranks(folder: Path, whole: Path) -> None:
    listed = whole.with_name("list")
    listed.write_text("whole\n")
    same(listed, folder)


def test_rank_files_may_be_compressed(folder: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    for rank, (ending, how) in enumerate(((".gz", "gzip"), (".zst", "zstd"))):
        file = small / f"rank{rank}.txt"
        file.write_bytes((folder / f"rank000{rank}.txt").read_bytes())
        packed(file, how).rename(small / f"rank{rank}.txt{ending}")
        file.unlink()
    same(small, folder)
    (small / "rank1.txt.zst").write_bytes(zstandard.ZstdCompressor().compress(b"1 init\n1 shout\n"))
    with pytest.raises(TsujiError, match=r"small/rank1\.txt\.zst:2: `1 shout` \(unknown action\)"):
        in_turn(TiTrace(small))


@pytest.mark.parametrize("ending", ["tar", "tar.gz", "tar.xz", "tgz"])
def test_archives_of_ranks_and_of_one_file(folder: Path, whole: Path, tmp_path: Path, ending: str) -> None:
    for what in (folder, whole):
        path = tmp_path / f"{what.name}.{ending}"
        mode: Literal["w", "w:gz", "w:xz"] = "w" if ending == "tar" else "w:xz" if ending == "tar.xz" else "w:gz"
        with tarfile.open(path, mode) as archive:
            archive.add(what, what.name)
        same(path, folder)
        same(path.rename(tmp_path / "no ending"), folder)


def test_places_in_a_file_of_all_ranks(whole: Path) -> None:
    whole.write_text("\n".join([*LINES[:6], "0 shout", *LINES[6:]]))
    with pytest.raises(TsujiError, match=r"whole:7: `0 shout`"):
        in_turn(TiTrace(whole))
    whole.write_text("\n".join([*LINES[:4], "0 barrier", "1 bcast 5", *LINES[4:]]))
    with pytest.raises(TsujiError, match=r"whole:6: bcast, where .*whole:5 has barrier"):
        in_turn(TiTrace(whole))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 init\n2 init\n", r"whole:2: rank 2, but no line of rank 1: ranks must count from 0"),
        ("0 init\np0 init\n", r"whole:2: `p0 init`: expected the number of a rank and its action"),
        ("0 init\n00 init\n", r"whole:2: `00 init`"),
        ("0 init\n" + "9" * 30 + " init\n", r"whole:2: `9{30} init`"),
        ("rank0\n", r"whole:1: rank0: no such file; expected a folder of rank files"),
        ("a\0b\n", r"whole:1: .*: no such file"),
        ("x" * 5000, r"whole:1: x{59}…: no such file"),
        ("", r"whole: no rank's file in it"),
    ],
)
def test_files_that_are_no_trace(whole: Path, text: str, said: str) -> None:
    whole.write_text(text)
    with pytest.raises(TsujiError, match=said):
        TiTrace(whole)


def test_damaged_archives(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, "t")
    data = path.read_bytes()
    for damaged in (data[:-40], data[:40], b"text", data + b"rest"):
        path.write_bytes(damaged)
        with pytest.raises(TsujiError, match=r"t\.tar\.gz: cannot be unpacked"):
            TiTrace(path)
    (tmp_path / "t.gz").write_text("0 init\n")
    with pytest.raises(TsujiError, match=r"t\.gz: cannot be unpacked \(not compressed\)"):
        TiTrace(tmp_path / "t.gz")
