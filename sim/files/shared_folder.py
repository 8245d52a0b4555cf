"""Folders of files that are not part of a clone: traces and schedules of other programs.

They are in the folder named by the environment variable `TSUJI_SHARED`, else in `shared/` beside the clone. Only the
commands and tests that read them need them.
"""

from __future__ import annotations

import os
from pathlib import Path

from models.errors import TsujiError

VARIABLE = "TSUJI_SHARED"
CLONE = Path(__file__).resolve().parents[2]
TRACES, GOAL = "traces", "goal"
EXPECTED = {
    TRACES: (
        "traces of the NAS Parallel Benchmarks in SimGrid's time-independent format "
        "(cg.A.64.3it.tar.zst, is.A.256.3it.tar.zst, …) with stats.json and ops.json"
    ),
    GOAL: "GOAL schedules (resnet_16.goal, alltoall_32_2k.goal, …) with loggopsim.json",
}
"""Content of each folder of shared files."""


def shared_folder(kind: str) -> Path:
    """Return the folder of one kind of shared files, `traces` or `goal`; it need not exist."""
    return Path(os.environ.get(VARIABLE) or CLONE.parent / "shared").absolute() / kind


def where_to_put(kind: str) -> str:
    """Return one line with the content of a folder of shared files and the places where it is searched."""
    return f"needed: {EXPECTED[kind]}; put them into ../shared/{kind} beside the clone, or set {VARIABLE}"


def checked_folder(folder: Path, kind: str, option: str, wanted: str) -> Path:
    """Return a folder of shared files after checking that it has the wanted files.

    Parameters
    ----------
    folder : Path
        Folder of an option, or `shared_folder`.
    kind : str
        Content, `traces` or `goal`.
    option : str
        Option that names such a folder, such as `--traces`.
    wanted : str
        Pattern of file names; at least one file must match.

    Raises
    ------
    TsujiError
        If the folder does not exist, or has no such file.
    """
    if not folder.is_dir():
        raise TsujiError(f"{option} {folder}: no such folder; {where_to_put(kind)} or {option}")
    if not any(folder.glob(wanted)):
        raise TsujiError(f"{option} {folder}: has no {wanted}; {where_to_put(kind)} or {option}")
    return folder
