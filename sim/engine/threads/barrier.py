"""The barrier at which the threads of a network wait for one another: an atomic counter that only grows."""

from __future__ import annotations

from models.jit.atomics import atomic_add, atomic_load, pause, sleep_while, wake
from models.jit.compiled import compiled_noinline
from sim.engine.state import Part
from sim.engine.threads.mail import PASSED

# Elements of `Part.barrier`: arrivals; threads that sleep until all have arrived; whether a thread has failed; and what
# the coordinator tells the parts of a network with messages (`sim.engine.threads.coordinator`): the cycle in which its
# call ends, whether it ends now, the cycle that it has then reached.
ARRIVED, ASLEEP, FAILED, END, STOPS, REACHED = 0, 1, 8, 9, 10, 11


@compiled_noinline
def pass_barrier(part: Part) -> bool:
    """Wait until all threads have arrived, as often as this one has; return False if one has failed."""
    part.own[PASSED] += 1
    arrivals = part.own[PASSED] * part.parts
    arrived = atomic_add(part.barrier, ARRIVED, 1)
    if arrived == arrivals:
        if atomic_load(part.barrier, ASLEEP):
            wake(part.barrier, ARRIVED)
        return True
    waited = 0
    while arrived < arrivals:
        waited += 1
        if waited < part.spins:
            pause()
        elif atomic_load(part.barrier, FAILED):
            return False
        else:
            # The last one to arrive sees that this thread sleeps, or this thread that the last one has arrived.
            atomic_add(part.barrier, ASLEEP, 1)
            sleep_while(part.barrier, ARRIVED, arrived)
            atomic_add(part.barrier, ASLEEP, -1)
        arrived = atomic_load(part.barrier, ARRIVED)
    return True


@compiled_noinline
def pass_barriers(part: Part, times: int) -> None:
    """Wait for the other threads as often as `times`, with nothing else to do; for benchmarks."""
    for _ in range(times):
        pass_barrier(part)
