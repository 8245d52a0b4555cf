"""Signals wait where files are written, and notes say how far a run came."""

import signal
import threading

import pytest

from models.errors import TsujiError
from sim.lib.interruption import Terminated, end_of_run, interruptions_wait, note_end, notes_of


@pytest.fixture(autouse=True)
def raising():
    """Let signals raise as in the command line, also where a shell has started the tests in the background."""

    def leave(number, frame):
        raise Terminated(number)

    before = {signal.SIGTERM: leave, signal.SIGINT: signal.default_int_handler}
    before = {number: signal.signal(number, handler) for number, handler in before.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "error"), [(signal.SIGTERM, Terminated), (signal.SIGINT, KeyboardInterrupt)])
def test_a_signal_waits_for_the_end_of_the_block(number, error):
    done = []

    def work():
        with interruptions_wait(), interruptions_wait():
            signal.raise_signal(number)
            done.append("the rest of the block")

    with pytest.raises(error):
        work()
    assert done
    with pytest.raises(error):
        signal.raise_signal(number)


def test_other_threads_need_not_wait():
    done = []

    def work():
        with interruptions_wait():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.default_int_handler]


def test_a_note_says_what_ended_a_run(tmp_path):
    ends = [end_of_run(error) for error in (Terminated(signal.SIGTERM), KeyboardInterrupt(), TsujiError("full"))]
    assert ends == ["interrupted by SIGTERM", "interrupted", "broken off"]
    for error in KeyboardInterrupt(), TsujiError("full"):
        note_end(error, "ended at 5 ns", [tmp_path / name for name in "abc"])
        expected = f"ended at 5 ns; what is recorded until then is in {tmp_path}/a, {tmp_path}/b and {tmp_path}/c"
        assert notes_of(error) == [expected]


def test_an_error_that_keeps_no_file_has_no_note():
    error = TsujiError("a bad line")
    note_end(error, "broken off at 5 ns")
    assert notes_of(error) == []


def test_notes_are_found_behind_the_exit_that_they_became():
    """As click turns Ctrl-C into an exit."""
    error = KeyboardInterrupt()
    note_end(error, "interrupted at 5 ns")
    ended = SystemExit(130)
    ended.__context__ = error
    assert notes_of(ended) == ["interrupted at 5 ns"]


def test_the_exit_code_is_that_of_shells():
    assert Terminated(signal.SIGTERM).code == 143
