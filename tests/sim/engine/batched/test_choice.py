"""Which networks are advanced in batches."""

import re

import pytest

from models.errors import TsujiError
from models.params import AdaptiveParams, LpiParams, PredictionParams, SwitchParams
from sim.config import load
from sim.engine.batched.choice import PAYS_FROM, is_batched
from sim.simulation import build
from sim.topology.single_switch import SingleSwitch
from sim.topology.torus import grid

STAGE = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}
ADAPTIVE = {"adaptive": AdaptiveParams(escape_vcs=1)}
LOOKAHEAD = {
    "adaptive": AdaptiveParams(kind="step", lookahead=True),
    "routing": "hyper_crossbar",
    "radix": (3, 3),
    "ports": 3,
    "vcs": 3,
}
FITS, DOES_NOT = SwitchParams(), SwitchParams(prediction=PredictionParams())
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


@pytest.mark.parametrize(
    ("more", "given", "allowed"),
    [
        ({"vcs": 16}, "switch.vcs = 16", "at most 15"),
        ({"prediction": PredictionParams()}, "a section [prediction]", "none"),
        (
            {"output_buffer": 4},
            "switch.output_buffer and switch.speedup = 1",
            "no output buffer, or a faster crossbar",
        ),
        (LOOKAHEAD, "adaptive.lookahead", "false"),
        ({"data_width": 8, "tag_width": 20}, "headers of 3 flits", "one, so that switch.data_width"),
        ({"allocator": "output_first"}, 'switch.allocator = "output_first" and no switch.vc_stage', '"input_first"'),
        ({"lpi": LpiParams(), "head_delay": 1}, "a section [lpi] and switch.head_delay = 1", "switch.head_delay = 0"),
        ({"lpi": LpiParams(), "speedup": 2}, "a section [lpi] and switch.speedup = 2", "switch.speedup = 1"),
        (ADAPTIVE | {"lpi": LpiParams()}, "sections [adaptive] and [lpi]", "one of them"),
        (STAGE | ADAPTIVE, "switch.vc_stage and a section [adaptive]", "one of them"),
        (STAGE | {"speedup": 2}, "switch.vc_stage and switch.speedup = 2", "switch.speedup = 1"),
        ({"vc_stage": True}, 'switch.vc_stage and switch.allocator = "input_first"', '"output_first"'),
        (STAGE | {"hold_packets": True}, "switch.vc_stage and switch.hold_packets", "switch.hold_packets = false"),
        (STAGE | {"claim_full": False}, "switch.vc_stage and switch.claim_full = false", "switch.claim_full = true"),
        (STAGE | {"speculation": "equal"}, 'switch.speculation = "equal"', '"none"'),
        (STAGE | {"lpi": LpiParams()}, "switch.vc_stage and a section [lpi]", "one of them"),
        (
            STAGE | {"buffering": "dynamic", "max_packet": 4},
            'switch.vc_stage and switch.buffering = "dynamic"',
            '"wormhole" or "flexible"',
        ),
    ],
)
def test_what_cannot_is_refused(more, given, allowed):
    """The message names the parameter, and what is allowed."""
    text = f"run.simd = true: switches with {given} cannot be advanced 64 at a time; they can with {allowed}"
    with pytest.raises(TsujiError, match=re.escape(text)):
        is_batched(True, SwitchParams(**more), LARGE, 1)


def test_more_ports_than_lanes_have_bits():
    text = "switches with 16 ports cannot be advanced 64 at a time; they can with at most 15"
    with pytest.raises(TsujiError, match=text):
        is_batched(True, FITS, SingleSwitch(locals=16).build(), 1)


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
