"""Twins: the same switches as single switches and in batches, in the same state, to compare a batched component.

The states come from random traffic, different for each switch.
"""

import numpy as np
import pytest

from cocotb_tests.runner.run_bench import seed
from cocotb_tests.soak.stimulus import Stimulus
from models.jit.simd_type import LANES, batches_of
from models.params import SwitchParams
from models.power_up import new_state
from models.reset import reset
from models.state.layout import aligned
from tests.models.batched.columns import COLUMNS, HELD, copy_state, read_columns

BATCHED = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}
RING = {"routing": "dimension_order", "radix": (5,), "wrap": True}
# All are one type for the compiler, that of single switches; `test_switch.py` tests lanes of other widths.
KINDS = {
    "output first": {"ports": 4, "vcs": 9, "depth": 3, "head_delay": 37},
    "input first": {"ports": 5, "vcs": 10, "depth": 2, "vc_allocator": "input_first"},
}
ONE_STEP = {
    "one step": {"ports": 4, "vcs": 9, "depth": 3, "head_delay": 37},
    "one step, nothing held": {"ports": 5, "vcs": 10, "depth": 2, "hold_packets": False},
    "one step, static buffering": {"ports": 3, "vcs": 12, "depth": 4, "buffering": "static", "max_packet": 3},
    "one step, cut-through": {"ports": 3, "vcs": 11, "depth": 5, "buffering": "dynamic", "max_packet": 3},
}
SWITCHES = LANES + 6  # a full batch, and a partial one
LOOKS, CYCLES = 7, 64  # number of states taken from each traffic, and cycles between two of them

# Registers of a single switch, without derived state.
REGISTERS = (
    *("switch", "input", "vc", "output", "filled", "owners", "credits", "flits", "routes"),
    *("heads", "delayed", "delay_ends", "vc_by_priority", "vc_after", "departed"),
)


class Twins:
    """Single switches, `one`, and batched ones, `batch`, in the same state at the beginning of `cycle`."""

    def __init__(self, params, states=None):
        self.params = params
        self.one = new_state(params, SWITCHES)
        self.batch = new_state(params, SWITCHES, batched=True)
        for s in range(SWITCHES):
            reset(self.one, s, -1)
            reset(self.batch, s, -1)
        self.one.position[:] = self.batch.position[:] = 2
        self.rng = np.random.default_rng(seed())
        self.cycle = 0
        if states:
            self.cycle = CYCLES
            for name, registers in states.items():
                if len(getattr(self.one, name)) == SWITCHES:  # without a head delay there is no wheel of heads
                    getattr(self.one, name)[:] = registers
            self.one.counters[:] = 0
            for name in "vc_by_priority", "vc_after", "departed":
                getattr(self.batch, name)[:] = getattr(self.one, name)
            copy_state(self.one, self.batch, self.cycle)

    def registers(self):
        """Return registers of input and output VCs, and of ports, as columns: of both, `one` first."""
        p, v = self.params.ports, self.params.vcs
        found = []
        for state in self.one, self.batch:
            vcs = np.zeros((SWITCHES, p, v, len(COLUMNS)), np.int64)
            ports = np.zeros((SWITCHES, p, HELD + 1), np.int64)
            read_columns(state, self.cycle, vcs, ports)
            found.append((vcs, ports))
        return found

    def batched(self, column):
        """Return a register of input or output VCs of batched switches, by name: [switches, ports, VCs]."""
        return self.registers()[1][0][..., COLUMNS.index(column)]

    def any_of(self, allowed, odds):
        """Return a random allowed VC of each port [switches, ports], or −1."""
        drawn = self.rng.random(allowed.shape) * allowed
        some = (drawn.max(axis=2) > 0) & (self.rng.random(allowed.shape[:2]) < odds)
        return np.where(some, drawn.argmax(axis=2), -1)

    def check(self, *but):
        """Assert that the registers are equal, except for the columns named."""
        (vcs, ports), (batched_vcs, batched_ports) = self.registers()
        for number, column in enumerate(COLUMNS):
            if column in (*but, "ASIDE"):
                continue
            wrong = np.argwhere(vcs[..., number] != batched_vcs[..., number])
            assert not len(wrong), f"{column} of {wrong[:5].tolist()}, TSUJI_SEED={seed()}"
        assert np.array_equal(ports, batched_ports), f"TSUJI_SEED={seed()}"

    def vectors(self, values, like=None):
        """Return numbers [switches, n] as vectors of lanes, n per batch."""
        values = np.asarray(values)
        kind = (self.batch.batch_vcs if like is None else like).dtype
        vectors = aligned((batches_of(SWITCHES) * values.shape[1] * LANES,), kind)
        filled = np.zeros((batches_of(SWITCHES) * LANES, values.shape[1]), np.int64)
        filled[:SWITCHES] = values
        vectors[:] = filled.reshape(-1, LANES, values.shape[1]).transpose(0, 2, 1).ravel()
        return vectors

    def numbers(self, vectors):
        """Return the numbers [switches, n] in such vectors."""
        n = len(vectors) // (batches_of(SWITCHES) * LANES)
        return vectors.reshape(-1, n, LANES).transpose(0, 2, 1).reshape(-1, n)[:SWITCHES].astype(np.int64)


@pytest.fixture(scope="session", params=KINDS)
def params(request):
    """Two sets of parameters."""
    return SwitchParams(**BATCHED | RING | KINDS[request.param])


def states_of(params):
    """Return registers [switches, …] after random traffic, by name."""
    looks = []
    for s in range(SWITCHES):
        if s % LOOKS == 0:
            stimulus = Stimulus(params, seed() * SWITCHES + s, position=(2,), batched=False)
        # A number of cycles that does not change the wheel of waiting heads.
        stimulus.block(CYCLES)
        look = {name: np.array(getattr(stimulus.state, name)) for name in REGISTERS}
        look["switch"]["held_in"] -= stimulus.cycle - CYCLES  # as if each were the first
        looks.append(look)
    return {name: np.concatenate([look[name] for look in looks]) for name in REGISTERS}


@pytest.fixture(scope="session")
def states(params):
    """Registers [switches, …] after random traffic, by name."""
    return states_of(params)


@pytest.fixture(scope="session", params=ONE_STEP)
def of_one_step(request):
    """Parameters of switches without a VC stage, and registers after random traffic."""
    params = SwitchParams(**RING | ONE_STEP[request.param])
    return params, states_of(params)


@pytest.fixture
def one_step_twins(of_one_step):
    """Switches in those states."""
    return Twins(*of_one_step)


@pytest.fixture
def twins(params, states):
    """Switches in those states."""
    return Twins(params, states)


@pytest.fixture
def fresh_twins(params):
    """Switches after reset."""
    return Twins(params)
