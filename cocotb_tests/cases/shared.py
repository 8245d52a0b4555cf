"""Parameter sets shared by benches, lint, soak and mutants: the default switch, corner cases, small switches."""

from __future__ import annotations

from typing import Any

from cocotb_tests.cases.case import Case, position_word
from cocotb_tests.cases.computed import COMPUTED
from cocotb_tests.cases.pipeline import PIPELINES
from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, PredictionParams, SwitchParams

__all__ = ["CASES", "Case", "position_word"]

RESERVING: dict[str, Any] = {
    "vcs": 3,
    "data_width": 24,
    "depth": 5,
    "routing": "hyper_crossbar",
    "radix": (4, 3, 6),
    "counter_width": 24,
    "adaptive": AdaptiveParams(kind="step", lookahead=True, reservation=True),
}
CASES: dict[str, Case] = (
    {
        "default": Case(SwitchParams()),
        "smallest": Case(
            SwitchParams(
                ports=2,
                vcs=1,
                data_width=16,
                depth=1,
                u_turn=True,
                counter_width=8,
                cache=CacheParams(entries=1, ways=1),
                cam=CamParams(latency=4, occupancy=1, entries=2),
            )
        ),
        "no cache": Case(SwitchParams(cache=CacheParams(entries=0), cam=CamParams(latency=6, occupancy=3, entries=64))),
        "wide": Case(
            SwitchParams(
                ports=4,
                vcs=4,
                data_width=512,
                depth=8,
                tag_width=64,
                arbiter="matrix",
                counter_width=64,
                cache=CacheParams(entries=32, ways=8, policy="plru", crc_polynomial=0x104C11DB7),
                cam=CamParams(latency=12, occupancy=5, entries=256),
            )
        ),
        "narrow": Case(
            SwitchParams(
                ports=3,
                vcs=3,
                data_width=8,
                depth=9,
                tag_width=64,
                hold_packets=False,
                counter_width=16,
                cache=CacheParams(entries=16, ways=2, policy="fifo", crc_polynomial=0x107),
                cam=CamParams(latency=9, occupancy=9, entries=128),
            )
        ),
        "direct-mapped": Case(
            SwitchParams(
                u_turn=True,
                counter_width=0,
                cache=CacheParams(entries=16, ways=1),
                cam=CamParams(latency=5, occupancy=2, entries=512),
            )
        ),
        "fully associative": Case(
            SwitchParams(
                arbiter="matrix",
                cache=CacheParams(entries=8, ways=8),
                cam=CamParams(latency=25, occupancy=1, entries=64),
            )
        ),
        "cut-through": Case(
            SwitchParams(
                ports=6,
                vcs=4,
                data_width=32,
                depth=6,
                buffering="dynamic",
                max_packet=4,
                cache=CacheParams(entries=8, ways=2, policy="plru"),
                cam=CamParams(latency=8, occupancy=4, entries=64),
            )
        ),
        "static": Case(
            SwitchParams(
                ports=4,
                data_width=16,
                depth=8,
                buffering="static",
                max_packet=5,
                routing="dimension_order",
                radix=(6,),
                wrap=True,
                counter_width=16,
            ),
            (2,),
        ),
        "ternary": Case(
            SwitchParams(
                ports=4,
                data_width=24,
                tag_width=40,
                depth=4,
                counter_width=24,
                cache=CacheParams(entries=8, ways=2),
                cam=CamParams(latency=9, occupancy=3, entries=32, match="ternary"),
            )
        ),
        "low-power idle": Case(
            SwitchParams(
                ports=4,
                data_width=24,
                depth=3,
                counter_width=24,
                cache=CacheParams(entries=8, ways=2),
                cam=CamParams(latency=5, occupancy=3, entries=64),
                lpi=LpiParams(idle=6, sleep=4, wake=7, refresh_interval=11, refresh=3),
            )
        ),
        "linear": Case(
            SwitchParams(
                ports=4,
                vcs=3,
                data_width=8,
                depth=4,
                counter_width=16,
                routing="linear",
                table_entries=32,
                adaptive=AdaptiveParams(escape_vcs=1),
            )
        ),
        "predicted": Case(
            SwitchParams(
                ports=6,
                data_width=32,
                depth=3,
                routing="dimension_order",
                radix=(4, 3),
                wrap=True,
                counter_width=24,
                prediction=PredictionParams(kind="latest"),
            ),
            (3, 1),
        ),
        "predicted, cached": Case(
            SwitchParams(
                ports=4,
                data_width=16,
                depth=4,
                counter_width=16,
                cache=CacheParams(entries=32, ways=2),
                cam=CamParams(latency=4, occupancy=1, entries=64),
                prediction=PredictionParams(kind="history", order=2),
            )
        ),
        "predicted straight, low-power idle": Case(
            SwitchParams(
                data_width=24,
                depth=5,
                u_turn=True,
                arbiter="matrix",
                counter_width=24,
                buffering="static",
                max_packet=2,
                cache=CacheParams(entries=32, ways=4, policy="plru"),
                cam=CamParams(latency=5, occupancy=2, entries=64),
                lpi=LpiParams(idle=40, sleep=3, wake=4),
                prediction=PredictionParams(kind="static"),
            )
        ),
        "adaptive": Case(
            SwitchParams(
                vcs=4,
                data_width=32,
                depth=3,
                routing="dimension_order",
                radix=(4, 5),
                wrap=True,
                counter_width=24,
                adaptive=AdaptiveParams(kind="escape"),
            ),
            (1, 4),
        ),
        "adaptive, cached, predicted, low-power idle": Case(
            SwitchParams(
                ports=6,
                vcs=3,
                data_width=16,
                depth=7,
                counter_width=24,
                buffering="static",
                max_packet=3,
                cache=CacheParams(entries=32, ways=2),
                cam=CamParams(latency=4, occupancy=1, entries=64),
                lpi=LpiParams(idle=12, sleep=3, wake=4),
                prediction=PredictionParams(kind="latest"),
                adaptive=AdaptiveParams(kind="escape", escape_vcs=1),
            )
        ),
        "adaptive by steps": Case(
            SwitchParams(
                ports=4,
                vcs=3,
                data_width=16,
                depth=4,
                counter_width=24,
                network_ports=3,
                arbiter="matrix",
                cache=CacheParams(entries=32, ways=2),
                cam=CamParams(latency=4, occupancy=1, entries=64),
                prediction=PredictionParams(kind="history", order=2),
                adaptive=AdaptiveParams(kind="step", selection="order"),
            )
        ),
        "exchanger": Case(
            SwitchParams(
                ports=5,
                vcs=3,
                data_width=24,
                depth=5,
                routing="hyper_crossbar",
                radix=(4, 3, 6),
                counter_width=24,
                prediction=PredictionParams(kind="latest"),
                lpi=LpiParams(idle=9, sleep=3, wake=4),
                adaptive=AdaptiveParams(kind="step", lookahead=True),
            ),
            (2, 1, 5),
        ),
        "exchanger that reserves": Case(
            SwitchParams(
                **RESERVING,
                ports=5,
                node_ports=2,
                buffering="static",
                max_packet=3,
                lpi=LpiParams(idle=30, sleep=3, wake=4),
            ),
            (2, 1, 5),
        ),
        "crossbar that reserves": Case(SwitchParams(**RESERVING, ports=6, crossbar=2, vc_stage=True)),
        "crossbar": Case(
            SwitchParams(
                ports=6,
                vcs=3,
                data_width=24,
                depth=5,
                routing="hyper_crossbar",
                radix=(4, 3, 6),
                crossbar=2,
                counter_width=24,
                buffering="dynamic",
                max_packet=2,
                lpi=LpiParams(idle=30, sleep=3, wake=4),
                adaptive=AdaptiveParams(kind="step", lookahead=True),
            )
        ),
        "cube, predicted, low-power idle": Case(
            SwitchParams(
                ports=6,
                data_width=24,
                depth=5,
                buffering="static",
                max_packet=3,
                routing="hypercube",
                radix=(2, 2, 2),
                counter_width=24,
                prediction=PredictionParams(kind="latest"),
                lpi=LpiParams(idle=9, sleep=3, wake=4, hints=1),
            ),
            (1, 0, 1),
        ),
        "folded cube, adaptive": Case(
            SwitchParams(
                ports=7,
                vcs=3,
                data_width=24,
                depth=3,
                routing="hypercube",
                radix=(2, 2, 2, 2),
                fold=15,
                counter_width=24,
                node_ports=2,
                adaptive=AdaptiveParams(kind="escape"),
            ),
            (0, 1, 1, 0),
        ),
        "speed-up": Case(
            SwitchParams(
                ports=4,
                vcs=3,
                data_width=16,
                depth=6,
                counter_width=16,
                cache=CacheParams(entries=8, ways=2),
                cam=CamParams(latency=5, occupancy=1, entries=64),
                speedup=2,
                output_buffer=5,
            )
        ),
        "speed-up, predicted": Case(
            SwitchParams(
                ports=6,
                data_width=24,
                depth=9,
                routing="dimension_order",
                radix=(4, 3),
                wrap=True,
                counter_width=24,
                lpi=LpiParams(idle=20, sleep=3, wake=4),
                prediction=PredictionParams(kind="latest"),
                speedup=3,
                output_buffer=3,
            ),
            (3, 1),
        ),
        "speed-up, predicted, cached": Case(
            SwitchParams(
                ports=4,
                data_width=16,
                depth=6,
                counter_width=16,
                cache=CacheParams(entries=32, ways=2),
                cam=CamParams(latency=4, occupancy=1, entries=64),
                lpi=LpiParams(idle=20, sleep=3, wake=4),
                prediction=PredictionParams(kind="latest"),
                speedup=2,
                output_buffer=2,
                stage_delay=1,
            )
        ),
        "speed-up, low-power idle": Case(
            SwitchParams(
                ports=6,
                data_width=24,
                depth=9,
                buffering="static",
                max_packet=4,
                routing="dimension_order",
                radix=(4, 3),
                wrap=True,
                counter_width=24,
                lpi=LpiParams(idle=2, sleep=3, wake=4),
                stage_delay=2,
                speedup=3,
                output_buffer=2,
            ),
            (3, 1),
        ),
        "node_ports": Case(
            SwitchParams(
                ports=7,
                data_width=16,
                depth=4,
                counter_width=16,
                cache=CacheParams(entries=32, ways=2),
                cam=CamParams(latency=4, occupancy=1, entries=64),
                prediction=PredictionParams(kind="latest"),
                node_ports=2,
                network_ports=3,
            )
        ),
        "node_ports, computed": Case(
            SwitchParams(
                ports=10,
                vcs=2,
                data_width=24,
                depth=5,
                routing="dimension_order",
                radix=(4, 3),
                wrap=True,
                u_turn=True,
                counter_width=24,
                node_ports=3,
            ),
            (3, 1),
        ),
        "mesh": Case(
            SwitchParams(vcs=1, data_width=32, depth=3, routing="dimension_order", radix=(3, 4), counter_width=24),
            (1, 2),
        ),
        "torus": Case(
            SwitchParams(ports=6, vcs=3, routing="dimension_order", radix=(8, 4), wrap=True, u_turn=True), (6, 3)
        ),
    }
    | PIPELINES
    | COMPUTED
)
