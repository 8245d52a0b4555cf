"""Which networks are advanced in batches."""

import pytest

from models.errors import TsujiError
from models.params import SwitchParams
from sim.config import load
from sim.engine.batched.choice import PAYS_FROM, is_batched
from sim.simulation import build
from sim.topology.torus import grid

FITS, DOES_NOT = SwitchParams(), SwitchParams(arbiter="matrix")
LARGE, SMALL = grid((8, 8), wrap=True), grid((5, 6), wrap=True)


@pytest.mark.parametrize(
    ("wanted", "params", "topology", "workers", "found"),
    [
        ("auto", FITS, LARGE, 1, True),
        ("auto", FITS, LARGE, 2, False),  # one of two threads would have no batch
        ("auto", FITS, SMALL, 1, False),
        ("auto", DOES_NOT, LARGE, 1, False),
        (True, FITS, SMALL, 1, True),
        (False, FITS, LARGE, 1, False),
        (False, DOES_NOT, LARGE, 1, False),
    ],
)
def test_what_is_asked_for_or_pays(wanted, params, topology, workers, found):
    assert SMALL.switches < PAYS_FROM <= LARGE.switches
    assert is_batched(wanted, params, topology, workers) == found


def test_what_cannot_is_refused():
    with pytest.raises(TsujiError, match=r"run.simd = True: these switches cannot be advanced 64 at a time; use"):
        is_batched(True, DOES_NOT, LARGE, 1)


@pytest.mark.parametrize("wanted", [1, "yes", None])
def test_nothing_else_is_taken(wanted):
    with pytest.raises(TsujiError, match=r"run.simd = .*: must be True, False or \"auto\""):
        is_batched(wanted, FITS, LARGE, 1)


@pytest.mark.parametrize(
    ("settings", "batched"),
    [
        ((), True),
        (("run.simd=false",), False),
        (("switch.vcs=16",), False),
        (("run.threads=2",), False),
        (("workload.cycle_ns=1",), False),  # messages of ranks
        (("workload.cycle_ns=1", "run.simd=true"), True),
    ],
)
def test_a_configuration_chooses(settings, batched):
    config = load(None, ('topology.kind="torus"', "topology.radix=[8,8]", "switch.vcs=4", *settings))
    assert build(config)._engine.switches.k.batched == batched
