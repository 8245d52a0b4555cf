"""Processes exchange what each gives, and end together: one of them tells what has failed."""

from __future__ import annotations

from tests.mpi_launcher import under_mpi

EXCHANGE = """
from sim.engine.processes.launch import launched
processes = launched().join()
given = processes.of_all({"rank": processes.rank, "text": "x" * 1000 * processes.rank})
assert [each["rank"] for each in given] == [0, 1], given
assert [len(each["text"]) for each in given] == [0, 1000]
assert processes.total(processes.rank + 1) == 3
order = []
processes.first_here(lambda: order.append(processes.rank))
assert order == [processes.rank]
try:
    processes.check_same({"number": 1, "seed": processes.rank})
except Exception as error:
    told = str(error)
def speak():
    print(told, flush=True)
raise SystemExit(processes.end(7 if processes.rank else 3, speak))
"""

ALONE = """
import time
from sim.engine.processes import processes as module
from sim.engine.processes.launch import launched
module.GRACE_S = 0.2
processes = launched().join()
def speak():
    print("alone", processes.rank, flush=True)
if processes.rank == 1:
    processes.end(5, speak)
processes.total(1)
"""

LEFT = """
import signal
from sim.engine.processes.launch import launched
processes = launched().join()
code = 5
def interrupt(*_):
    raise KeyboardInterrupt
def speak():
    print("interrupted", processes.rank, flush=True)
if processes.rank == 0:
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        processes.total(1)
    except KeyboardInterrupt:
        code = 3
processes.end(code, speak)
print("as usual", processes.rank, flush=True)
"""


def test_what_processes_exchange_and_how_all_of_them_fail() -> None:
    """The first that fails speaks, and its exit code is that of all."""
    done = under_mpi(2, "-c", EXCHANGE)
    assert done.stdout == "mpirun -n 2: processes 0 and 1 have a different seed\n", done.stderr
    assert done.returncode == 3


def test_a_process_that_fails_alone_ends_the_others() -> None:
    """They wait for it in an exchange."""
    done = under_mpi(2, "-c", ALONE)
    assert done.stdout == "alone 1\n", done.stderr
    assert done.returncode == 5


def test_processes_do_not_end_as_usual_if_one_has_left_an_exchange() -> None:
    """MPI cannot be finalized while the exchange is not complete."""
    done = under_mpi(2, "-c", LEFT)
    assert "as usual" not in done.stdout
    assert done.returncode == 3, done.stderr
