"""The barrier at which the threads of a network wait for one another: an atomic counter that only grows."""

from __future__ import annotations

from models.jit.atomics import atomic_add, atomic_load, give_way, pause
from models.jit.compiled import compiled_noinline
from sim.engine.state import Part

ARRIVED, FAILED = 0, 8  # elements of `Part.barrier`


@compiled_noinline
def pass_barrier(part: Part, arrivals: int) -> bool:
    """Wait until all threads have arrived, `arrivals` in total since reset; return False if one has failed."""
    atomic_add(part.barrier, ARRIVED, 1)
    waited = 0
    while atomic_load(part.barrier, ARRIVED) < arrivals:
        waited += 1
        if waited < part.spins:
            pause()
        elif atomic_load(part.barrier, FAILED):
            return False
        else:
            give_way()
    return True


@compiled_noinline
def pass_barriers(part: Part, times: int) -> None:
    """Wait for the other threads as often as `times`, with nothing else to do; for benchmarks."""
    for n in range(times):
        pass_barrier(part, (n + 1) * part.parts)
