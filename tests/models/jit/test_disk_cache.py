"""What processes keep of compiled code at the same time does not get mixed up."""

from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from models.jit.bits import popcount
from models.jit.compiled import Compiled, entry_point, is_cached
from models.jit.disk_cache import _Files


def _save_at_once(files: type[IndexDataCacheFile], folder: Path) -> dict[str, Any]:
    """Let two save before either has written anything; return what each of them then finds."""
    meeting = Barrier(2)

    class Meeting(files):  # type: ignore[misc, valid-type]
        def _dump(self, obj: Any) -> bytes:
            if not self.__dict__.setdefault("met", False):
                self.met = True
                meeting.wait(10)
            return super()._dump(obj)

    threads = [Thread(target=Meeting(folder, "run", "stamp").save, args=(key, key.upper())) for key in ("a", "b")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return {key: files(folder, "run", "stamp").load(key) for key in ("a", "b")}


def test_two_processes_save_at_once(tmp_path: Path) -> None:
    assert _save_at_once(_Files, tmp_path) == {"a": "A", "b": "B"}


def test_numbas_own_files_mix_them_up(tmp_path: Path) -> None:
    """Why there are ours; and that the test above sees it. One of both is lost, or is the other's."""
    assert _save_at_once(IndexDataCacheFile, tmp_path) != {"a": "A", "b": "B"}


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    files = _Files(tmp_path, "run", "stamp")
    files.save("a", 1)
    assert files.load("b") is None
    assert _Files(tmp_path, "run", "another stamp").load("a") is None


def test_two_keys_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Files, "name", lambda self, key: "the same")
    files = _Files(tmp_path, "run", "stamp")
    files.save("a", 1)
    assert files.load("b") is None


def test_it_is_known_whether_code_is_kept() -> None:
    assert not is_cached(popcount, np.arange(5))
    entry_point(popcount, 7)
    assert isinstance(popcount, Compiled)
    assert is_cached(popcount, 8)
    assert Compiled(popcount.py_func).is_cached(8)  # on disk
    assert not is_cached(sum, [1])
