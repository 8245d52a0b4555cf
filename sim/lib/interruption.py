"""Signals that end a run: what they raise, where they wait, and what the run then says of itself."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a run."""


class Terminated(SystemExit):
    """A signal other than Ctrl-C ends the program, with exit code 128 plus its number, as shells count.

    Parameters
    ----------
    number : int
        Number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.signal = signal.Signals(number).name


@contextmanager
def interruptions_wait() -> Iterator[None]:
    """Let signals that would end the block take effect at its end: what it writes is written whole, or not at all."""
    if current_thread() is not main_thread():  # Python calls handlers of signals in the main thread only
        yield
        return
    came: list[tuple[int, Any]] = []
    before: dict[signal.Signals, Callable[[int, Any], Any]] = {}
    try:
        for number in ENDING:
            handler = signal.getsignal(number)
            if callable(handler):
                before[number] = handler
                signal.signal(number, lambda *what: came.append(what))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for which, frame in came[:1]:
            before[signal.Signals(which)](which, frame)


def end_of_run(error: BaseException) -> str:
    """Return what ended a run before its end: "interrupted", with the signal's name, or "broken off" by an error."""
    if isinstance(error, Terminated):
        return f"interrupted by {error.signal}"
    return "interrupted" if isinstance(error, KeyboardInterrupt) else "broken off"


def note_end(error: BaseException, why: str, files: Sequence[Path] = ()) -> None:
    """Add a note to the error that ends a run: why it ended, and where; none if an error says so and no file is kept.

    Parameters
    ----------
    error : BaseException
    why : str
        What ended the run, and when.
    files : sequence of Path
        Files with what is recorded until then.
    """
    if not files and not isinstance(error, KeyboardInterrupt | Terminated):
        return
    names = [str(path) for path in files]
    listed = " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    error.add_note(f"{why}; what is recorded until then is in {listed}" if files else why)


def notes_of(error: BaseException | None) -> list[str]:
    """Return the notes of an error and of those during which it was raised, the last one first."""
    notes: list[str] = []
    while error is not None:
        notes += getattr(error, "__notes__", [])
        error = error.__cause__ or error.__context__
    return notes
