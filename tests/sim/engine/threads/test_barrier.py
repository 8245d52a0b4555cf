"""The barrier of threads."""

from functools import partial

import numpy as np

from models.jit.compiled import unlocked_entry_point
from sim.engine.threads.barrier import ARRIVED, FAILED, pass_barrier, pass_barriers
from sim.engine.threads.parts import no_part
from sim.engine.threads.team import Team

TIMES = 300


def test_every_thread_arrives_each_time():
    part = no_part()._replace(parts=3, spins=1)
    parts = [part._replace(own=np.zeros_like(part.own)) for _ in range(3)]
    work = [partial(unlocked_entry_point(pass_barriers, part, 0), each, TIMES) for each in parts]
    Team(3).run(work, lambda: None)
    assert part.barrier[ARRIVED] == 3 * TIMES


def test_one_that_waits_for_a_thread_that_has_failed_goes_on():
    part = no_part()._replace(parts=2, spins=1)
    part.barrier[FAILED] = 1
    other = part._replace(own=np.zeros_like(part.own))
    assert not pass_barrier(part)
    assert pass_barrier(other)
    assert np.array_equal(part.barrier[[ARRIVED, FAILED]], [2, 1])
