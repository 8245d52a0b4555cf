"""An engine specialised for its switches gives the same results as the ordinary one; more switches: `make benches`."""

import warnings
from collections import defaultdict
from time import process_time
from typing import Any

import numpy as np
import pytest
from numba import types

from cocotb_tests.cases.covering.array import covering_cases
from cocotb_tests.cases.tiers import tiered
from models.errors import CompilationError, TsujiError
from models.jit.compiled import entry_point
from models.jit.compiler.entry import numba_type
from models.jit.native_types import kind_of
from models.jit.specialise import Known
from models.params import SwitchParams
from models.params.parts import PredictionParams
from models.power_up import new_state
from models.predict.bypass import confirm
from models.reset import reset
from models.route.route_unit import route_next
from models.switch import (
    _accept_predicted,
    accept_credit,
    accept_flit,
    list_moves,
    may_move,
    route_step,
)
from sim.config import load
from sim.engine import dispatch, payback
from sim.engine.dispatch import COMPILING
from sim.engine.network import Network
from sim.lib.clock import cpu_s
from sim.lib.progress import listening
from sim.simulation import build
from sim.traffic.stream import Stream

SLOW = 0.3  # seconds
TORUS = ('topology.kind="torus"', "topology.radix=[4,4]")
SWITCHES = {
    "computed": (
        *TORUS,
        'switch.routing="dimension_order"',
        "switch.vcs=4",
        "switch.stage_delay=1",
        "switch.hold_packets=true",
    ),
    "cached": (
        *TORUS,
        "cache.entries=8",
        "cam.entries=16",
        "switch.arbiter=matrix",
        'switch.buffering="static"',
        "switch.max_packet=4",
        'prediction.kind="latest"',
        "lpi.idle=20",
        "lpi.sleep=8",
        "lpi.wake=6",
    ),
    "staged": (
        *TORUS,
        'switch.routing="dimension_order"',
        "switch.vcs=4",
        "switch.head_delay=1",
        "switch.vc_stage=true",
    ),
    "predicted": (*TORUS, 'switch.routing="dimension_order"', "switch.vcs=4", 'prediction.kind="static"'),
    "output first": (*TORUS, 'switch.routing="dimension_order"', 'switch.allocator="output_first"', "switch.vcs=4"),
    "ports first": (
        *TORUS,
        'switch.routing="dimension_order"',
        'switch.allocator="ports_first"',
        "switch.vcs=4",
        "switch.vc_stage=true",
        'switch.vc_allocator="input_first"',
    ),
    "speculative": (
        *TORUS,
        'switch.routing="dimension_order"',
        'switch.allocator="output_first"',
        "switch.vcs=4",
        "switch.vc_stage=true",
        'switch.speculation="behind"',
    ),
    "batched": (
        *TORUS,
        'switch.routing="dimension_order"',
        'switch.allocator="output_first"',
        "switch.vcs=4",
        "switch.vc_stage=true",
        "switch.head_delay=1",
        "switch.hold_packets=false",
        "run.simd=true",
    ),
    "batched, one step, asleep": (
        *TORUS,
        'switch.routing="dimension_order"',
        "switch.vcs=4",
        "lpi.idle=20",
        "lpi.sleep=10",
        "lpi.wake=15",
        "run.simd=true",
    ),
    "sped up": ('topology.kind="hypercube"', "topology.dimensions=4", 'switch.routing="hypercube"', "switch.speedup=2"),
    "looking ahead": (
        'topology.kind="hyper_crossbar"',
        "topology.radix=[4,4]",
        'switch.routing="hyper_crossbar"',
        "switch.vcs=4",
        'adaptive.kind="step"',
        "adaptive.lookahead=true",
    ),
}


@pytest.mark.parametrize("name", tiered(SWITCHES, ["computed", "batched"]))
def test_specialised_is_ordinary(name: str) -> None:
    """Every packet leaves in the same cycle, and every counter and link has the same counts."""
    found = []
    for specialise in ("false", "true"):
        config = load(None, (*SWITCHES[name], f"run.specialise={specialise}"))
        network = build(config)
        packets = Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.4, 3).until(3000)
        network.offer(packets)
        gone = network.advance(4000)
        assert len(gone) > 1000
        columns = (gone.source, gone.destination, gone.birth, gone.enter, gone.eject, gone.hops)
        found.append([*columns, network.counters(), network.flits_sent()])
    for ordinary, specialised in zip(*found, strict=True):
        assert np.array_equal(ordinary, specialised)


@pytest.fixture
def left_to_us(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is on disk, no time has been spent, and specialisation pays soon; compiling takes long."""

    def slow(*arguments: Any) -> Any:
        begin = process_time()
        while process_time() - begin < SLOW:
            pass
        return entry_point(*arguments)

    monkeypatch.setattr(payback, "PAYS_AFTER", 2.5e-3)  # the first call of a loop takes up to 1e-3
    monkeypatch.setattr(payback, "_spent", defaultdict(float))
    monkeypatch.setattr(dispatch, "is_cached", lambda *_: False)
    monkeypatch.setattr(dispatch, "entry_point", slow)


def _loaded(specialise: str, *settings: str) -> Network:
    config = load(None, (*SWITCHES["computed"], "switch.depth=7", f"run.specialise={specialise}", *settings))
    network = build(config)
    assert isinstance(network, Network)
    network.offer(Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.4, 3).until(3000))
    return network


@pytest.mark.usefixtures("left_to_us")
def test_where_it_is_left_to_us_it_is_done_when_it_pays() -> None:
    """In the middle of a run: packets leave in the same cycles, and compile time is not counted."""
    found = []
    for specialise in ('"auto"', "false"):
        network = _loaded(specialise)
        first = network.advance(1500)
        assert not network._call.specialised
        stood, passed, told = cpu_s(), process_time(), []
        with listening(lambda stage, done, total, told=told: told.extend([stage] if stage == COMPILING else [])):
            second = network.advance(2500)
        stood, passed = cpu_s() - stood, process_time() - passed
        assert min(len(first), len(second)) > 300
        assert network._call.specialised == (specialise == '"auto"') == (stood < SLOW < passed) == (told == [COMPILING])
        found.append([np.concatenate((getattr(first, name), getattr(second, name))) for name in ("eject", "enter")])
    assert np.array_equal(found[0], found[1])


@pytest.mark.usefixtures("left_to_us")
def test_what_has_paid_is_counted_by_kind_of_switch() -> None:
    """Specialised code serves the next network of the kind; another radix has other constants, and starts anew."""
    network = _loaded('"auto"')
    for _ in range(2):
        network.advance(1500)
    assert network._call.specialised
    for settings, pays in (((), True), (("topology.radix=[4,2]",), False)):
        network = _loaded('"auto"', *settings)
        for _ in range(2):
            network.advance(0)
        assert network._call.specialised == pays


@pytest.mark.usefixtures("left_to_us")
def test_what_is_on_disk_is_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "is_cached", lambda *_: True)
    network = _loaded('"auto"')
    network.advance(0)
    assert network._call.specialised


@pytest.mark.usefixtures("left_to_us")
def test_a_run_survives_a_compiler_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """One warning; the next network of the kind does not try again."""

    def fail(function: Any, e: Any, end: int) -> Any:
        if isinstance(e.k, Known):
            raise CompilationError("no such luck")
        return entry_point(function, e, end)

    monkeypatch.setattr(dispatch, "entry_point", fail)
    told = []
    for _ in range(2):
        network = _loaded('"auto"')
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            gone = [network.advance(cycles) for cycles in (1500, 2500, 100)]
        told += [each for each in caught if "no such luck" in str(each.message)]
        assert len(gone[1]) > 300
        assert not network._call.specialised
    assert len(told) == 1


def test_what_a_network_compiled_is_found_by_the_next() -> None:
    """By the types of its engine, known ones with the rest."""
    _loaded("true").advance(0)
    network = _loaded('"auto"')
    network.advance(0)
    assert network._call.specialised


@pytest.mark.parametrize("specialise", [1, "yes", None])
def test_nothing_else_is_taken(specialise: Any) -> None:
    with pytest.raises(TsujiError, match=f"specialise = {specialise!r}: must be True, False or"):
        dispatch.EngineCall(specialise)


@pytest.mark.parametrize("predicts", [False, True])
def test_what_parameters_rule_out_is_not_compiled(predicts: bool) -> None:
    state = new_state(SwitchParams(prediction=PredictionParams() if predicts else None), 1)
    known = state._replace(k=Known(state.k))
    compiled = len(_accept_predicted.part.signatures)
    accept_flit.part.compile((numba_type(kind_of(known), known), *[types.int64] * 6))
    assert len(_accept_predicted.part.signatures) == compiled + predicts


@pytest.mark.parametrize("name", tiered(covering_cases(), []))
def test_any_switch_can_be_specialised(name: str) -> None:
    """Code that the parameters rule out is removed before types are inferred; the rest must be valid for any switch."""
    state = new_state(covering_cases()[name].params, 1)
    reset(state, 0, -1)
    known = state._replace(k=Known(state.k))
    assert list_moves(known, 0, 0) == 0
    assert not confirm(known, 0, 0, 0)
    assert not may_move(known, 0)
    accept_flit(known, 0, 0, 0, 1, 0, 0)
    accept_credit(known, 0, 0, 0)
    route_step(known, 0, 0, False)
    assert route_next(known, 0, 0) > 0
