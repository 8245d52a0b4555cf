from typing import Any

import pytest

from cocotb_tests.cases.shared import CASES, Case
from cocotb_tests.cases.small import SMALL
from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from cocotb_tests.runner.verilog import TOP, switch_verilog
from models.batched.limits import batch_widths
from models.params import CacheParams, CamParams, SwitchParams
from models.params.parts import MAX_VCS

# More input VCs than a word of the model's VC sets has bits (models/state/vc_set.py).
SIXTEEN: dict[str, Any] = {
    "ports": 4,
    "vcs": 16,
    "data_width": 16,
    "depth": 2,
    "routing": "dimension_order",
    "radix": (3,),
}
MORE = {
    "three VCs, depth 5": Case(
        SwitchParams(
            ports=4,
            vcs=3,
            depth=5,
            data_width=16,
            tag_width=24,
            u_turn=True,
            cache=CacheParams(entries=8, ways=4, policy="fifo"),
            cam=CamParams(latency=10, occupancy=2, entries=128),
        )
    ),
    "stage delay, cached": Case(SwitchParams(data_width=16, stage_delay=3)),
    "stage delay, long": Case(
        SwitchParams(
            data_width=16, depth=60, routing="dimension_order", radix=(4, 4), counter_width=16, stage_delay=40
        ),
        (2, 1),
    ),
    "sixteen VCs": Case(SwitchParams(**SIXTEEN), (1,)),
    # Nine VCs need as many bits with a quarter of the hardware, since a VC stage grows quadratically.
    "nine VCs, output first": Case(
        SwitchParams(**SIXTEEN | {"vcs": 9}, allocator="output_first", vc_stage=True, head_delay=1), (1,)
    ),
    # Cases that the simulator matches in batches (models/batched/switch.py): the bench steps both forms of the model.
    "in batches": Case(
        SwitchParams(
            ports=5,
            vcs=4,
            depth=3,
            data_width=16,
            counter_width=16,
            routing="dimension_order",
            radix=(4, 4),
            wrap=True,
            ring_classes="fixed",
            u_turn=True,
            allocator="output_first",
            vc_stage=True,
            hold_packets=False,
        ),
        (2, 1),
    ),
    "in batches, of which there are more outputs than VCs": Case(
        SwitchParams(
            ports=8,
            vcs=2,
            depth=2,
            data_width=16,
            counter_width=8,
            routing="linear",
            table_entries=16,
            head_delay=1,
            allocator="output_first",
            vc_stage=True,
            hold_packets=False,
        )
    ),
    "in batches, cached, input-first VCs": Case(
        SwitchParams(
            ports=4,
            vcs=9,
            depth=4,
            data_width=16,
            tag_width=16,
            stage_delay=1,
            head_delay=2,
            allocator="output_first",
            vc_stage=True,
            vc_allocator="input_first",
            hold_packets=False,
            cache=CacheParams(entries=8, ways=4),
            cam=CamParams(latency=7, occupancy=2, entries=64),
        )
    ),
    "nine VCs, speculation": Case(
        SwitchParams(**SIXTEEN | {"vcs": 9}, allocator="ports_first", vc_stage=True, speculation="equal"), (1,)
    ),
    "cut-through, no hold": Case(
        SwitchParams(
            depth=8,
            buffering="dynamic",
            max_packet=5,
            hold_packets=False,
            arbiter="matrix",
            cache=CacheParams(entries=16, ways=4, policy="plru"),
            cam=CamParams(latency=7, occupancy=1, entries=64),
        )
    ),
}
EVERY = CASES | MORE | {"small ternary": SMALL["small ternary"]}
# The soak test covers small switches of most kinds; `make benches` runs all.
USUAL = {
    "default",
    "smallest",
    "wide",
    "narrow",
    "ternary",
    "exchanger that reserves",
    "adaptive, cached, predicted, low-power idle",
    "speculation, predicted",
    "speed-up, predicted, cached",
    "in batches",
}
# Cycles from a header on the input link until that flit is on the output link (microarchitecture.md, section 1).
HOPS = {
    "default": {"hit": 3, "miss": 28},
    "no cache, CAM of 25 cycles": {"no cache": 26},
    "mesh": {"computed": 2},
    "torus": {"computed": 2},
    "smallest": {"hit": 3, "miss": 7},
    "narrow": {"hit": 3, "miss": 12},
    "stage delay, cached": {"hit": 6, "miss": 31},
    "stage delay, long": {"computed": 42},
    "speed-up": {"hit": 3, "miss": 8},
    "ternary": {"hit": 3, "miss": 12},
    "node_ports, computed": {"computed": 2},
    "folded cube, adaptive": {"computed": 3},
}
USUALLY_TIMED = {"default", "stage delay, cached", "smallest", "narrow", "speed-up", "folded cube, adaptive"}

DIRECTED = {
    "flow": ("default", "no cache", "cut-through", "cut-through, no hold", "fully associative"),
    "routes": ("default", "no cache", "ternary", "narrow", "cut-through", "three VCs, depth 5"),
    "updates": ("default", "ternary", "narrow", "no cache", "three VCs, depth 5"),
    "masks": ("ternary", "small ternary"),
}
USUALLY_DIRECTED = {"flow": 2, "routes": 3, "updates": 2, "masks": 2}  # number of cases of each in `make test`


def _run(bench: str, name: str, case: Case, cycles: int = 0, **more: object) -> None:
    parameters = {"switch": case.params.model_dump(), "position": case.position, **more}
    verilog = switch_verilog(case.params)
    run_bench(verilog, f"cocotb_tests.switch.{bench}", name, parameters, cycles, top=TOP, compiled_model=True)


@pytest.mark.parametrize("name", tiered(EVERY, USUAL))
def test_random_traffic(name: str) -> None:
    params = EVERY[name].params
    # Minimum: the bench goes on until every bin is hit. Few heads at an idle switch are predicted right, and few find
    # all of sixteen VCs taken.
    _run("bench", name, EVERY[name], cycles=9000 if params.prediction or params.vcs == MAX_VCS else 3000)


def test_batches_of_every_kind_are_stepped_beside_the_rtl() -> None:
    """Cases whose name says "in batches" can be batched; otherwise they would not compare batches at all."""
    found = {batch_widths(EVERY[name].params) for name in EVERY if name.startswith("in batches")}
    assert found == {(8, 8), (8, 16), (16, 16)}


@pytest.mark.parametrize("name", tiered(HOPS, USUALLY_TIMED))
def test_latency(name: str) -> None:
    case = EVERY.get(name) or Case(SwitchParams(cache=CacheParams(entries=0)))
    hops = HOPS[name]
    for kind in hops:
        cycles = case.params.route_cycles_miss if kind == "miss" else case.params.route_cycles_hit
        assert hops[kind] == cycles + 1 + case.params.stage_delay
    _run("latency", name, case, hops=hops)


@pytest.mark.parametrize(
    ("bench", "name"),
    tiered(
        [(bench, name) for bench, names in DIRECTED.items() for name in names],
        [(bench, name) for bench, count in USUALLY_DIRECTED.items() for name in DIRECTED[bench][:count]],
    ),
)
def test_directed(bench: str, name: str) -> None:
    _run(bench, name, EVERY[name])
