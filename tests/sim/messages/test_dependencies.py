"""What the start and the end of an operation release: by what a schedule says that operations require."""

import numpy as np

from sim.messages.dependencies import append, connect, release_dependents
from sim.messages.loggops import LogGOPS
from sim.messages.memory import new_messages, with_room
from sim.messages.state import CALC, NONE

ENDS, STARTS, BOTH = 1, 2, 3  # slots of what requires operation 0 to end; to start; and operation 4, too, to end


def layer():
    """Return the message layer with operations in slots 0 to 4 of one rank, which wait for each other."""
    x = with_room(new_messages(1, LogGOPS().costs()), operations=5, edges=4)
    slots = np.empty(5, np.int64)
    ones = np.ones(5, np.int64)
    append(x, 0, CALC * ones, ones, ones, ones, 0 * ones, 0 * ones, False, 0, slots)
    assert slots.tolist() == [0, 1, 2, 3, 4]
    to, of, on_start = np.array([(ENDS, 0, 0), (STARTS, 0, 1), (BOTH, 0, 0), (BOTH, 4, 0)]).T
    connect(x, to.copy(), of.copy(), on_start.astype(np.bool_))
    return x


def freed(x):
    """Return the operations that require nothing more, and from when on they may start."""
    slots = x.freed[: x.clock[0].freed].tolist()
    return [(slot, int(x.operations[slot].ready)) for slot in slots]


def test_a_start_releases_only_what_requires_a_start():
    x = layer()
    release_dependents(x, 0, 70, True)
    assert freed(x) == [(STARTS, 70)]
    release_dependents(x, 0, 90, False)
    assert freed(x) == [(STARTS, 70), (ENDS, 90)]


def test_what_requires_two_operations_waits_for_the_later():
    x = layer()
    release_dependents(x, 4, 50, False)
    assert freed(x) == []
    release_dependents(x, 0, 40, False)
    assert (BOTH, 50) in freed(x)


def test_an_operation_is_released_once():
    x = layer()
    release_dependents(x, 0, 40, False)
    before = freed(x)
    release_dependents(x, 0, 60, False)
    assert freed(x) == before
    assert x.operations[0].edges == NONE
