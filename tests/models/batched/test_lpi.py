"""Low-power idle of a batch against the controllers of a single switch (`models.power.lpi`)."""

import numpy as np
import pytest

from cocotb_tests.runner.run_bench import seed
from models.batched.lpi import (
    ACT,
    active_outputs,
    batch_lpi_begin,
    batches_waking,
    hint_links,
    next_active,
    write_times,
)
from models.batched.output_sets import set_granted_output
from models.batched.vc_sets import change_bit
from models.batched.vectors import of_level
from models.jit.compiled import compiled
from models.jit.lanes import batch_of, lane_of
from models.jit.simd import number_in, simd_store
from models.jit.simd_type import LANES
from models.params import LpiParams, SwitchParams
from models.power.lpi import lpi_advance, lpi_show, lpi_write
from models.power_up import new_state
from models.reset import reset
from models.state.layout import aligned
from models.state.registers import NEVER

PORTS, SWITCHES, CYCLES = 3, LANES + 5, 1200
TIMES = {
    "short": LpiParams(idle=5, sleep=3, wake=4),
    "at once": LpiParams(idle=0, sleep=1, wake=1),
    "refreshed": LpiParams(idle=9, sleep=7, wake=11, refresh_interval=20, refresh=4),
    "slow to sleep": LpiParams(idle=3, sleep=60, wake=2),
}


@compiled
def _step(st, cycle, wanted, hinted, times, active, vectors):
    """Advance batches by a cycle in which flits want outputs `wanted` [switches]; write the active ones of these."""
    for s in range(len(st.switch)):
        for o in range(st.k.ports):
            # One VC for each output: it holds a flit if the output is wanted.
            set_granted_output(st, s, 0, o, 1 << o)
            change_bit(st, s, st.k.held + of_level(st, 0, 0), o, int(wanted[s]) >> o & 1)
        hint_links(st, s, int(hinted[s]))
    batches_waking(st, cycle)
    for batch in range(st.batch_count):
        batch_lpi_begin(st, batch, cycle)
        simd_store(vectors, batch, active_outputs(st, batch))
        for s in range(len(st.switch)):
            if batch_of(s) == batch:
                active[s] = number_in(vectors, batch * LANES + lane_of(s)) & int(wanted[s])
    for s in range(len(st.switch)):
        if times[s, 1] >= 0:
            write_times(st, s, int(times[s, 0]), int(times[s, 1]), cycle)


@compiled
def _expected(st, cycle, wanted, hinted, times, active):
    """Advance each controller by each cycle."""
    for s in range(len(st.switch)):
        active[s] = 0
        for o in range(st.k.ports):
            flit = int(wanted[s]) >> o & 1
            active[s] |= (flit & int(st.link_power[s, o].phase == ACT)) << o
            lpi_advance(st, s, o, cycle + 1, flit == 1, int(hinted[s]) >> o & 1 == 1)
        if times[s, 1] >= 0:
            lpi_write(st, s, int(times[s, 0]), int(times[s, 1]), cycle)


@compiled
def _show(st, cycle):
    for s in range(len(st.switch)):
        for o in range(st.k.ports):
            lpi_show(st, s, o, cycle)


@pytest.mark.parametrize("name", TIMES)
def test_links_are_active_in_the_same_cycles(name):
    """Each switch changes its wants at a pace of its own; hints come, and time registers are written."""
    params = SwitchParams(ports=PORTS, vcs=PORTS, lpi=TIMES[name])
    one, st = new_state(params, SWITCHES), new_state(params, SWITCHES, batched=True)
    for state in one, st:
        for s in range(SWITCHES):
            reset(state, s, -1)
    rng = np.random.default_rng(seed())
    wanted = np.zeros(SWITCHES, np.int64)
    pace = rng.choice([0.02, 0.1, 0.5], SWITCHES)
    vectors = aligned((st.batch_count * LANES,), st.batch_outputs.dtype)
    slept = 0
    for cycle in range(CYCLES):
        wanted = np.where(rng.random(SWITCHES) < pace, rng.integers(0, 1 << PORTS, SWITCHES), wanted)
        hinted = np.where(rng.random(SWITCHES) < 0.02, rng.integers(0, 1 << PORTS, SWITCHES), 0)
        cycles = np.where(rng.random(SWITCHES) < 0.002, rng.integers(1, 50, SWITCHES), -1)
        times = np.column_stack([rng.integers(0, 4, SWITCHES), cycles])
        found, expected = np.zeros((2, SWITCHES), np.int64)
        _step(st, cycle, wanted, hinted, times, found, vectors)
        _expected(one, cycle, wanted, hinted, times, expected)
        assert np.array_equal(found, expected), (cycle, np.flatnonzero(found != expected)[:5], f"TSUJI_SEED={seed()}")
        slept += int((expected != wanted).sum())
        assert next_active(st) > cycle
    _show(st, CYCLES)
    for field in "phase", "timer", "pending", "delayed":
        assert np.array_equal(st.link_power[field], one.link_power[field]), field
    assert np.array_equal(st.counters, one.counters)
    assert slept > 1000


def test_nothing_is_waited_for_after_a_reset():
    st = new_state(SwitchParams(lpi=TIMES["short"]), SWITCHES, batched=True)
    st.active_at[:] = 7
    for s in range(SWITCHES):
        reset(st, s, -1)
    assert (st.active_at == NEVER).all()
    assert next_active(st) == NEVER
