"""Files that are not part of a clone, for tests: found in one place; a test is skipped only where all are absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.files.shared_folder import shared_folder, where_to_put


def shared_file(kind: str, *names: str) -> Path:
    """Return a shared file; skip the test where its folder is absent, and fail it where only the file is.

    Parameters
    ----------
    kind : str
        Its folder, `traces` or `goal`.
    *names : str
        Names that it may have, the first of which exists is taken.
    """
    folder = shared_folder(kind)
    if not folder.is_dir():
        pytest.skip(f"wants {folder / names[0]}; {where_to_put(kind)}")
    for name in names:
        if (path := folder / name).exists():
            return path
    pytest.fail(f"{folder} is there, but lacks {names[0]}; {where_to_put(kind)}")
