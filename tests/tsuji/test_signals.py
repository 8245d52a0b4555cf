"""Ctrl-C, SIGTERM and a closed terminal leave no process behind."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import get_context

import psutil
import pytest

from models.errors import TsujiError
from tsuji.cli.signals import children_end_too


def _family(session):
    """Return the processes of a session that have not ended."""
    found = []
    for process in psutil.process_iter(["pid", "status"]):
        try:
            if os.getsid(process.pid) == session and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except ProcessLookupError:
            continue
    return found


def _wait(condition, seconds=90.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


PROGRAM = """
import subprocess
import tsuji.cli
def work():
    subprocess.run(["sh", "-c", "sleep 600 & touch running; sleep 600"])
tsuji.cli.command_line = lambda names: work
tsuji.cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_what_a_command_started_ends_with_it(tmp_path, number):
    """A tool and its child processes: a simulator started by a shell is found, too."""
    command = [sys.executable, "-c", PROGRAM]
    process = subprocess.Popen(command, cwd=tmp_path, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        assert _wait((tmp_path / "running").exists), "the tool was never started"
        assert len(_family(process.pid)) > 2
        process.send_signal(number)
        code = process.wait(60)
        assert code in ({128 + number} if number != signal.SIGINT else {130, 1, -signal.SIGINT})
        assert _wait(lambda: not _family(process.pid), 10), "processes were left"
    finally:
        for pid in _family(process.pid):
            os.kill(pid, signal.SIGKILL)


def test_a_worker_is_seen_to_have_ended():
    """Else the thread of its pool waits for it at the end of the program, for ever and busily."""
    worker = get_context("spawn").Process(target=time.sleep, args=(600,))
    worker.start()
    with pytest.raises(TsujiError, match="unlucky"), children_end_too():
        raise TsujiError("unlucky")
    assert worker.exitcode == -signal.SIGTERM
    assert not worker.is_alive()
