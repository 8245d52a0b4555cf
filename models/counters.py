"""Statistics counters: one per port and event (microarchitecture.md, section 9)."""

from __future__ import annotations

import numpy as np

from models.formats import COUNTERS, Counter
from models.jit.compiled import compiled
from models.state.declare import PORT, Registers, placed
from models.state.placement import Area
from models.state.registers import SwitchState

FLITS_IN = int(Counter.FLITS_IN)
PACKETS_IN = int(Counter.PACKETS_IN)
FLITS_OUT = int(Counter.FLITS_OUT)
PACKETS_OUT = int(Counter.PACKETS_OUT)
FLITS_DROPPED = int(Counter.FLITS_DROPPED)
PACKETS_DROPPED = int(Counter.PACKETS_DROPPED)
CACHE_HITS = int(Counter.CACHE_HITS)
CACHE_MISSES = int(Counter.CACHE_MISSES)
EVICTIONS = int(Counter.EVICTIONS)
CAM_REQUESTS = int(Counter.CAM_REQUESTS)
CAM_MERGED = int(Counter.CAM_MERGED)
CAM_STALLS = int(Counter.CAM_STALLS)
LINK_ACT = int(Counter.LINK_ACT)
LINK_WAKES = int(Counter.LINK_WAKES)
PREDICT_RIGHT = int(Counter.PREDICT_RIGHT)
PREDICT_WRONG = int(Counter.PREDICT_WRONG)
BYPASS_HEADS = int(Counter.BYPASS_HEADS)
BYPASS_FLITS = int(Counter.BYPASS_FLITS)
BYPASS_SQUASHED = int(Counter.BYPASS_SQUASHED)


class CounterRegisters(Registers):
    """Counters of each port."""

    counters: np.ndarray = placed(Area.COUNTERS, np.int64, PORT, lambda n: (COUNTERS,))


@compiled
def count(st: SwitchState, s: int, p: int, counter: int, amount: int) -> None:
    """Add `amount` events to a counter, which has 64 bits here and is read modulo 2^counter_width."""
    st.counters[s, p, counter] += amount
