"""Tables that grow: what is kept of a run that does not reach its end."""

import resource
import signal

import pandas as pd
import pyarrow.parquet as pq
import pytest

from models.errors import TsujiError
from sim.files import growing_table
from sim.files.growing_table import GrowingTable, broken_off


def test_rows_of_a_broken_off_run_are_kept(tmp_path):
    for name, cause in (("a.parquet", "interrupted at 5 ns"), ("b.csv", None)):
        path = tmp_path / name
        table = GrowingTable(path, csv=True)
        table.append({"x": [1, 2]})
        table.append({"x": [3]})
        assert table.break_off("interrupted at 5 ns") == path
        read = pd.read_parquet(path) if cause else pd.read_csv(path)
        assert read["x"].tolist() == [1, 2, 3]
        if cause:
            assert broken_off(pq.ParquetFile(path)) == cause


def test_a_whole_run_is_not_broken_off(tmp_path):
    table = GrowingTable(tmp_path / "a.parquet")
    table.append({"x": [1]})
    table.close({"other": "metadata"})
    assert broken_off(pq.ParquetFile(tmp_path / "a.parquet")) is None


def test_without_rows_there_is_no_file(tmp_path):
    assert GrowingTable(tmp_path / "a.parquet").break_off("interrupted") is None
    assert not list(tmp_path.iterdir())


@pytest.fixture
def interruptible():
    """Let Ctrl-C raise, also where a shell has started the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interruption_waits_until_rows_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(growing_table, "GROUP", 1)
    table = GrowingTable(tmp_path / "a.parquet")
    write = table._write

    def interrupted():
        signal.raise_signal(signal.SIGINT)
        write()

    monkeypatch.setattr(table, "_write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        table.append({"x": [1]})
    monkeypatch.setattr(table, "_write", write)
    table.break_off("interrupted")
    assert pd.read_parquet(tmp_path / "a.parquet")["x"].tolist() == [1]


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path, monkeypatch):
    """A file may not grow beyond a limit here; Python ignores the signal that comes with it."""
    monkeypatch.setattr(growing_table, "GROUP", 1)
    table = GrowingTable(tmp_path / "a.parquet")
    table.append({"x": [1]})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        with pytest.raises(TsujiError, match=r"a\.parquet: cannot be written"):
            table.append({"x": range(10_000)})
        with pytest.raises(TsujiError, match=r"b\.parquet: cannot be written: File too large, by a test in"):
            GrowingTable(tmp_path / "b.parquet")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
