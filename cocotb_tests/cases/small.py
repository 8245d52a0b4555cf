"""Small parameter sets for mutants: quick to build, and narrow and shallow, so that faults show early."""

from __future__ import annotations

from typing import Any

from cocotb_tests.cases.computed import SMALL_COMPUTED
from cocotb_tests.cases.shared import Case
from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, PredictionParams, SwitchParams

HYPER: dict[str, Any] = {
    "data_width": 16,
    "depth": 3,
    "counter_width": 0,
    "routing": "hyper_crossbar",
    "radix": (3, 4),
}
LOOKAHEAD = AdaptiveParams(kind="step", lookahead=True)
RESERVATION = AdaptiveParams(kind="step", lookahead=True, reservation=True)
SMALL: dict[str, Case] = {
    "small table": Case(
        SwitchParams(
            ports=3,
            data_width=16,
            depth=2,
            counter_width=8,
            cache=CacheParams(entries=8, ways=4),
            cam=CamParams(latency=6, occupancy=3, entries=32),
        )
    ),
    "small ternary": Case(
        SwitchParams(
            ports=3,
            data_width=16,
            depth=2,
            counter_width=8,
            cache=CacheParams(entries=8, ways=4),
            cam=CamParams(latency=6, occupancy=2, entries=16, match="ternary"),
        )
    ),
    "small long header": Case(
        SwitchParams(
            ports=3,
            data_width=8,
            depth=3,
            counter_width=8,
            arbiter="matrix",
            cache=CacheParams(entries=4, ways=2, policy="fifo"),
            cam=CamParams(latency=6, occupancy=2, entries=32),
        )
    ),
    "small cut-through": Case(
        SwitchParams(
            ports=3,
            vcs=3,
            data_width=16,
            depth=7,
            buffering="dynamic",
            max_packet=4,
            counter_width=0,
            cache=CacheParams(entries=8, ways=4, policy="plru"),
            cam=CamParams(latency=6, occupancy=2, entries=32),
        )
    ),
    "small static": Case(
        SwitchParams(
            ports=3,
            data_width=8,
            depth=3,
            buffering="static",
            max_packet=3,
            counter_width=0,
            routing="dimension_order",
            radix=(5,),
            wrap=True,
        ),
        (2,),
    ),
    "small VC stage": Case(
        SwitchParams(
            ports=3,
            vcs=4,
            data_width=16,
            depth=3,
            counter_width=0,
            routing="dimension_order",
            radix=(5,),
            wrap=True,
            head_delay=1,
            vc_stage=True,
        ),
        (2,),
    ),
    "small batched": Case(
        SwitchParams(
            ports=3,
            vcs=4,
            data_width=16,
            depth=3,
            counter_width=8,
            routing="dimension_order",
            radix=(5,),
            wrap=True,
            allocator="output_first",
            head_delay=1,
            vc_stage=True,
            hold_packets=False,
        ),
        (2,),
    ),
    "small stage delay": Case(
        SwitchParams(
            ports=3, data_width=16, depth=5, counter_width=0, routing="dimension_order", radix=(5,), stage_delay=4
        ),
        (2,),
    ),
    "small speed-up": Case(
        SwitchParams(
            ports=3,
            data_width=16,
            depth=7,
            counter_width=16,
            routing="dimension_order",
            radix=(5,),
            lpi=LpiParams(idle=1, sleep=2, wake=3),
            speedup=3,
            output_buffer=3,
        ),
        (2,),
    ),
    "small output queues": Case(
        SwitchParams(
            ports=3,
            data_width=16,
            depth=3,
            counter_width=16,
            routing="dimension_order",
            radix=(5,),
            lpi=LpiParams(idle=3, sleep=2, wake=3),
            output_buffer=1,
        ),
        (2,),
    ),
    "small output queues, predicted": Case(
        SwitchParams(
            ports=3,
            data_width=16,
            vcs=3,
            depth=4,
            counter_width=16,
            buffering="dynamic",
            max_packet=2,
            routing="dimension_order",
            radix=(5,),
            prediction=PredictionParams(kind="static", local="longer_x"),
            output_buffer=2,
        ),
        (2,),
    ),
    "small speed-up, predicted": Case(
        SwitchParams(
            ports=3,
            data_width=16,
            depth=5,
            counter_width=0,
            cache=CacheParams(entries=16, ways=4),
            cam=CamParams(latency=5, occupancy=2, entries=32),
            prediction=PredictionParams(kind="latest"),
            speedup=3,
        )
    ),
    "small node_ports": Case(
        SwitchParams(
            ports=6,
            data_width=16,
            depth=3,
            counter_width=0,
            cache=CacheParams(entries=8, ways=4),
            cam=CamParams(latency=6, occupancy=3, entries=32),
            node_ports=2,
            network_ports=2,
        )
    ),
    "small node_ports, computed": Case(
        SwitchParams(
            ports=6, data_width=8, depth=3, counter_width=0, routing="dimension_order", radix=(5,), node_ports=2
        ),
        (2,),
    ),
    "small adaptive": Case(
        SwitchParams(
            ports=4,
            vcs=3,
            data_width=16,
            depth=3,
            counter_width=16,
            routing="dimension_order",
            radix=(4,),
            wrap=True,
            prediction=PredictionParams(kind="latest"),
            adaptive=AdaptiveParams(kind="escape"),
        ),
        (1,),
    ),
    "small exchanger": Case(SwitchParams(**HYPER, ports=3, adaptive=LOOKAHEAD), (1, 2)),
    "small exchanger that reserves": Case(SwitchParams(**HYPER, ports=3, adaptive=RESERVATION), (1, 2)),
    "small crossbar": Case(SwitchParams(**HYPER, ports=4, crossbar=1, adaptive=LOOKAHEAD)),
    "small crossbar that reserves": Case(SwitchParams(**HYPER, ports=4, crossbar=1, adaptive=RESERVATION)),
    "small cube": Case(
        SwitchParams(ports=5, data_width=8, depth=3, counter_width=0, routing="hypercube", radix=(2, 2, 2), fold=7),
        (1, 0, 1),
    ),
    "small low-power idle": Case(
        SwitchParams(
            ports=3,
            data_width=8,
            depth=3,
            counter_width=16,
            routing="dimension_order",
            radix=(5,),
            wrap=True,
            lpi=LpiParams(idle=6, sleep=4, wake=7, refresh_interval=11, refresh=3),
        ),
        (2,),
    ),
    "small wake hints": Case(
        SwitchParams(
            ports=6,
            data_width=8,
            depth=3,
            counter_width=16,
            routing="dimension_order",
            radix=(4, 3),
            wrap=True,
            node_ports=2,
            lpi=LpiParams(idle=6, sleep=4, wake=7, hints=3),
        ),
        (3, 0),
    ),
    "small predicted": Case(
        SwitchParams(
            ports=4,
            data_width=16,
            depth=3,
            counter_width=0,
            routing="dimension_order",
            radix=(5,),
            wrap=True,
            prediction=PredictionParams(kind="latest"),
        ),
        (2,),
    ),
    "small predicted, cached": Case(
        SwitchParams(
            ports=3,
            data_width=16,
            depth=3,
            counter_width=0,
            cache=CacheParams(entries=16, ways=4),
            cam=CamParams(latency=5, occupancy=2, entries=32),
            prediction=PredictionParams(kind="history", order=2),
        )
    ),
    "small rings beside lines": Case(
        SwitchParams(
            ports=5,
            data_width=8,
            depth=3,
            counter_width=0,
            routing="dimension_order",
            radix=(4, 3),
            wrap=(True, False),
            ties="random",
        ),
        (1, 2),
    ),
    "small torus": Case(
        SwitchParams(
            ports=5, data_width=8, depth=3, counter_width=0, routing="dimension_order", radix=(4, 5), wrap=True
        ),
        (1, 3),
    ),
} | SMALL_COMPUTED
