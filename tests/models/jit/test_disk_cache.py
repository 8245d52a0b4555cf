"""Processes that store compiled code at the same time do not mix it up."""

from contextlib import suppress
from pathlib import Path
from threading import Barrier, Thread

import numpy as np
import pytest
from llvmlite import binding

from models.errors import TsujiError
from models.jit import disk_cache
from models.jit.compiled import Compiled, entry_point, is_cached
from models.jit.disk_cache import Kept
from models.jit.sets import popcount

ONE, OTHER = (Kept((name.encode() * 1000, b"more"), name, "i") for name in ("one", "other"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder for compiled code in this test."""
    monkeypatch.setattr(disk_cache, "folder", lambda: tmp_path / "code")
    return tmp_path / "code"


@pytest.mark.usefixtures("folder")
def test_what_is_kept_is_found_by_name_and_kinds() -> None:
    assert disk_cache.load("f", ("i",)) is None
    disk_cache.save("f", ("i",), ONE)
    assert disk_cache.load("f", ("i",)) == ONE
    assert disk_cache.load("f", ("f",)) is None
    assert disk_cache.load("g", ("i",)) is None


@pytest.mark.usefixtures("folder")
def test_a_changed_test_makes_compiled_functions_of_tests_old(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("models.f", "tests.f"):
        disk_cache.save(name, ("i",), ONE)
    monkeypatch.setattr(disk_cache, "_digest_of_tests", lambda: "another")
    assert disk_cache.load("models.f", ("i",)) == ONE
    assert disk_cache.load("tests.f", ("i",)) is None


@pytest.mark.usefixtures("folder")
def test_two_processes_save_at_once() -> None:
    meeting = Barrier(2)

    def save(found: list[Kept | None]) -> None:
        for _ in range(50):
            meeting.wait(10)
            disk_cache.save("f", ("i",), ONE)
            found.append(disk_cache.load("f", ("i",)))

    found: list[Kept | None] = []
    threads = [Thread(target=save, args=(found,)) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [ONE] * 100


def test_two_keys_of_one_name(folder: Path) -> None:
    disk_cache.save("f", ("i",), ONE)
    (file,) = folder.iterdir()
    disk_cache.save("f", ("b",), OTHER)
    (other,) = set(folder.iterdir()) - {file}
    file.write_bytes(other.read_bytes())
    assert disk_cache.load("f", ("i",)) is None


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x80\x04."])
def test_a_damaged_file_is_compiled_again(folder: Path, content: bytes) -> None:
    disk_cache.save("f", ("i",), ONE)
    next(folder.iterdir()).write_bytes(content)
    assert disk_cache.load("f", ("i",)) is None


@pytest.mark.parametrize("at", [0, 40, -30, -3000])
def test_one_wrong_bit_is_enough_to_compile_again(folder: Path, at: int) -> None:
    """In machine code, too: it would be run."""
    disk_cache.save("f", ("i",), ONE)
    file = next(folder.iterdir())
    content = bytearray(file.read_bytes())
    content[at] ^= 4
    file.write_bytes(content)
    assert disk_cache.load("f", ("i",)) is None
    disk_cache.save("f", ("i",), ONE)
    assert disk_cache.load("f", ("i",)) == ONE


@pytest.mark.parametrize("part", ["cpu", "features", "numba", "llvmlite", "environment", "source"])
def test_code_of_another_processor_or_version_is_elsewhere(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = disk_cache.folder.__wrapped__()
    assert disk_cache.folder.__wrapped__() == before
    if part == "cpu":
        monkeypatch.setattr(binding, "get_host_cpu_name", lambda: "other")
    elif part == "features":
        monkeypatch.setattr(binding, "get_host_cpu_features", lambda: binding.FeatureMap({"other": True}))
    elif part == "environment":
        monkeypatch.setenv("NUMBA_OPT", "1")
    elif part == "source":
        monkeypatch.setattr(disk_cache, "_sources", lambda: [Path(disk_cache.__file__)])
    else:
        monkeypatch.setattr(disk_cache, "version", lambda name: "0" if name == part else "1")
    assert disk_cache.folder.__wrapped__() != before


def test_a_folder_that_cannot_be_written_is_no_error(folder: Path) -> None:
    folder.write_text("a file")
    disk_cache.save("f", ("i",), ONE)
    assert disk_cache.load("f", ("i",)) is None


def test_a_folder_that_cannot_be_written_is_told_if_asked(folder: Path) -> None:
    disk_cache.check_writable()
    assert not list(folder.iterdir())
    folder.rmdir()
    folder.write_text("a file")
    with pytest.raises(TsujiError, match=r"code: compiled code cannot be stored \(File exists\); set XDG_CACHE_HOME"):
        disk_cache.check_writable()


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_nothing_is_left_of_a_file_that_is_not_finished(
    folder: Path, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full would fill up further with each run."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(Path, "replace", fail)
    with suppress(KeyboardInterrupt):
        disk_cache.save("f", ("i",), ONE)
    assert not list(folder.iterdir())


def test_it_is_known_whether_code_is_kept() -> None:
    assert not is_cached(popcount, np.arange(5))
    entry_point(popcount, 7)
    assert isinstance(popcount, Compiled)
    assert is_cached(popcount, 8)
    assert is_cached(Compiled(popcount.py_func, inline=True), 8)  # on disk
    assert not is_cached(sum, [1])
