"""Where files lie that are not part of a clone: traces and schedules of other programs.

They are in the folder that the environment variable `TSUJI_SHARED` names, else in `shared/` beside the clone. Nothing
but the commands and tests that read them needs them.
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
"""What each folder of the shared files holds."""


def shared_folder(kind: str) -> Path:
    """Return the folder of one kind of shared files, `traces` or `goal`; it need not exist."""
    return Path(os.environ.get(VARIABLE) or CLONE.parent / "shared").absolute() / kind


def where_to_put(kind: str) -> str:
    """Return one line that says what a folder of shared files holds and where it is looked for."""
    return f"needed: {EXPECTED[kind]}; put them into ../shared/{kind} beside the clone, or set {VARIABLE}"


def checked_folder(folder: Path, kind: str, option: str, wanted: str) -> Path:
    """Return a folder of shared files, which has what is wanted of it.

    Parameters
    ----------
    folder : Path
        As an option, or `shared_folder`, says.
    kind : str
        What it holds, `traces` or `goal`.
    option : str
        The option that names such a folder, `--traces`.
    wanted : str
        Pattern of file names, of which there must be one at least.

    Raises
    ------
    TsujiError
        If there is no such folder, or no such file in it.
    """
    if not folder.is_dir():
        raise TsujiError(f"{option} {folder}: no such folder; {where_to_put(kind)} or {option}")
    if not any(folder.glob(wanted)):
        raise TsujiError(f"{option} {folder}: has no {wanted}; {where_to_put(kind)} or {option}")
    return folder
