"""Conditions for batching a switch, and the widths of its SIMD lanes."""

import pytest

from models.batched.limits import batch_widths, can_batch
from models.jit.simd_type import WIDTHS
from models.params import AdaptiveParams, LpiParams, PredictionParams, SwitchParams

PLAIN = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}


@pytest.mark.parametrize(
    ("ports", "vcs", "widths"),
    [(7, 8, (8, 8)), (8, 8, (8, 16)), (7, 9, (16, 16)), (15, 15, (16, 16)), (16, 1, (0, 0)), (1, 16, (0, 0))],
)
def test_lanes_are_as_narrow_as_their_sets(ports, vcs, widths):
    assert batch_widths(SwitchParams(**PLAIN, ports=2, vcs=vcs), ports) == widths


@pytest.mark.parametrize(("depth", "width"), [(256, 8), (257, 16)])
def test_lanes_have_room_for_a_place_in_a_queue(depth, width):
    assert batch_widths(SwitchParams(**PLAIN | {"depth": depth})) == (width, width)


@pytest.mark.parametrize(
    "more",
    [
        {"allocator": "input_first"},  # with a VC stage
        {"allocator": "ports_first"},
        {"vc_stage": False},
        {"hold_packets": True},
        {"claim_full": False},
        {"buffering": "static", "max_packet": 4},
        {"buffering": "dynamic", "max_packet": 4},
        {"speculation": "equal"},
        {"lpi": LpiParams()},
        {"prediction": PredictionParams()},
        {"adaptive": AdaptiveParams(escape_vcs=1)},
        {"speedup": 2},
        {"ports": max(WIDTHS)},
        {"vcs": 16},
        {"data_width": 8, "tag_width": 20},
    ],
)
def test_switches_that_cannot_be_batched(more):
    assert can_batch(SwitchParams(**PLAIN))
    assert can_batch(SwitchParams(**PLAIN, arbiter="matrix"))
    assert not can_batch(SwitchParams(**PLAIN | more))


@pytest.mark.parametrize(
    "more",
    [
        {"allocator": "output_first"},  # without a VC stage
        {"allocator": "ports_first"},
        {"vc_stage": True},
        {"lpi": LpiParams(), "head_delay": 1},
        {"lpi": LpiParams(hints=1), "routing": "dimension_order", "radix": (5,)},
        {"prediction": PredictionParams()},
        {"adaptive": AdaptiveParams(escape_vcs=1), "lpi": LpiParams()},
        {"adaptive": AdaptiveParams(kind="step", lookahead=True), "routing": "hyper_crossbar", "radix": (3, 3)},
        {"output_buffer": 4},
        {"speedup": 2, "lpi": LpiParams()},
        {"ports": max(WIDTHS)},
        {"vcs": 16},
        {"data_width": 8, "tag_width": 20},
    ],
)
def test_switches_of_one_step_that_cannot_be_batched(more):
    assert can_batch(SwitchParams())
    assert can_batch(SwitchParams(hold_packets=False, head_delay=3, stage_delay=2, buffering="flexible"))
    assert can_batch(SwitchParams(lpi=LpiParams()))
    assert can_batch(SwitchParams(buffering="dynamic", max_packet=4))
    assert can_batch(SwitchParams(buffering="static", max_packet=4))
    assert can_batch(SwitchParams(arbiter="matrix"))
    assert can_batch(SwitchParams(speedup=2, output_buffer=4))
    assert can_batch(SwitchParams(adaptive=AdaptiveParams(escape_vcs=1)))
    assert can_batch(SwitchParams(adaptive=AdaptiveParams(kind="step"), routing="hyper_crossbar", radix=(3, 3)))
    assert not can_batch(SwitchParams(**more))
