"""Most ranks of a run; more would take hours, or more memory than there is, before the first message."""

from __future__ import annotations

from models.errors import TsujiError

MOST_OF_A_PROGRAM = 1 << 14  # each rank is a coroutine
MOST_REPLAYED = 1 << 18  # of a trace, schedule or list


def check_program_ranks(ranks: int) -> None:
    """Refuse an MPI program with too many ranks.

    Raises
    ------
    TsujiError
        If there are more than `MOST_OF_A_PROGRAM`.
    """
    if ranks > MOST_OF_A_PROGRAM:
        raise TsujiError(f"--ranks {ranks}: must be at most {MOST_OF_A_PROGRAM}, as each runs the program")


def check_replayed_ranks(source: str, ranks: int) -> None:
    """Refuse a trace, schedule or list with too many ranks; `source` is its file.

    Raises
    ------
    TsujiError
        If there are more than `MOST_REPLAYED`.
    """
    if ranks > MOST_REPLAYED:
        raise TsujiError(f"{source}: {ranks} ranks: at most {MOST_REPLAYED} are replayed")
