"""Parameter sets with other pipeline stages and allocators (microarchitecture.md, sections 8 and 13)."""

from __future__ import annotations

from cocotb_tests.cases.case import Case
from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, PredictionParams, SwitchParams

_SMALL_CACHE = CacheParams(entries=8, ways=2)
_QUICK_CAM = CamParams(latency=5, occupancy=2, entries=64)

PIPELINES: dict[str, Case] = {
    "head delay": Case(
        SwitchParams(
            ports=4,
            vcs=3,
            data_width=16,
            depth=5,
            buffering="static",
            max_packet=4,
            counter_width=16,
            cache=_SMALL_CACHE,
            cam=_QUICK_CAM,
            lpi=LpiParams(idle=30, sleep=3, wake=4),
            prediction=PredictionParams(kind="latest"),
            head_delay=3,
        )
    ),
    "VC stage": Case(
        SwitchParams(
            vcs=4,
            data_width=16,
            depth=3,
            counter_width=16,
            u_turn=True,
            cache=_SMALL_CACHE,
            cam=_QUICK_CAM,
            vc_stage=True,
        )
    ),
    "VC stage, computed": Case(
        SwitchParams(
            vcs=4,
            data_width=32,
            depth=4,
            counter_width=24,
            routing="dimension_order",
            radix=(3, 4),
            hold_packets=False,
            head_delay=1,
            vc_stage=True,
        ),
        (1, 2),
    ),
    "VC stage, predicted": Case(
        SwitchParams(
            ports=6,
            vcs=3,
            data_width=24,
            depth=6,
            routing="dimension_order",
            radix=(4, 3),
            wrap=True,
            u_turn=True,
            counter_width=24,
            lpi=LpiParams(idle=20, sleep=3, wake=4),
            prediction=PredictionParams(kind="latest"),
            head_delay=2,
            vc_stage=True,
            speedup=2,
            output_buffer=2,
        ),
        (3, 1),
    ),
    "VC stage, static, cached, predicted": Case(
        SwitchParams(
            ports=4,
            data_width=16,
            depth=6,
            arbiter="matrix",
            buffering="static",
            max_packet=3,
            counter_width=16,
            cache=_SMALL_CACHE,
            cam=_QUICK_CAM,
            prediction=PredictionParams(kind="history", order=2),
            vc_stage=True,
        )
    ),
    "VC stage, adaptive, predicted": Case(
        SwitchParams(
            vcs=3,
            data_width=24,
            depth=4,
            routing="dimension_order",
            radix=(3, 4),
            counter_width=24,
            prediction=PredictionParams(kind="latest"),
            adaptive=AdaptiveParams(kind="escape"),
            vc_stage=True,
        ),
        (1, 2),
    ),
    "output first": Case(
        SwitchParams(
            vcs=3,
            depth=5,
            allocator="output_first",
            cache=CacheParams(entries=16, ways=2),
            cam=CamParams(latency=5, occupancy=2, entries=64),
        )
    ),
    "ports first": Case(
        SwitchParams(
            vcs=4,
            depth=3,
            allocator="ports_first",
            routing="dimension_order",
            radix=(4, 3),
            wrap=True,
            vc_stage=True,
            vc_allocator="input_first",
        ),
        (1, 2),
    ),
    "speculation": Case(
        SwitchParams(
            vcs=3,
            depth=3,
            allocator="ports_first",
            vc_stage=True,
            speculation="behind",
            counter_width=24,
            cache=_SMALL_CACHE,
            cam=_QUICK_CAM,
        )
    ),
    "speculation, computed": Case(
        SwitchParams(
            vcs=4,
            depth=2,
            hold_packets=False,
            u_turn=True,
            allocator="output_first",
            routing="dimension_order",
            radix=(4, 3),
            wrap=True,
            head_delay=1,
            vc_stage=True,
            vc_allocator="input_first",
            claim_full=False,
            speculation="equal",
        ),
        (1, 2),
    ),
    "speculation, predicted": Case(
        SwitchParams(
            ports=6,
            vcs=3,
            data_width=24,
            depth=6,
            arbiter="matrix",
            allocator="output_first",
            routing="dimension_order",
            radix=(4, 3),
            counter_width=24,
            lpi=LpiParams(idle=20, sleep=3, wake=4),
            prediction=PredictionParams(kind="latest"),
            adaptive=AdaptiveParams(kind="escape"),
            vc_stage=True,
            speculation="behind",
            speedup=2,
            output_buffer=2,
        ),
        (3, 1),
    ),
    "speculation, static, cached, predicted": Case(
        SwitchParams(
            ports=4,
            data_width=16,
            depth=6,
            allocator="ports_first",
            buffering="static",
            max_packet=3,
            counter_width=16,
            cache=_SMALL_CACHE,
            cam=_QUICK_CAM,
            prediction=PredictionParams(kind="history", order=2),
            vc_stage=True,
            speculation="equal",
        )
    ),
    "predicted, output first": Case(
        SwitchParams(
            ports=6,
            vcs=4,
            data_width=24,
            depth=3,
            arbiter="matrix",
            allocator="output_first",
            routing="dimension_order",
            radix=(4, 3),
            wrap=True,
            prediction=PredictionParams(kind="latest"),
        ),
        (3, 1),
    ),
    "torus, fixed classes": Case(
        SwitchParams(vcs=3, data_width=16, routing="dimension_order", radix=(5, 4), wrap=True, ring_classes="fixed"),
        (3, 1),
    ),
    "torus, fixed classes, predicted": Case(
        SwitchParams(
            vcs=4,
            data_width=24,
            routing="dimension_order",
            radix=(5, 4),
            wrap=True,
            ring_classes="fixed",
            prediction=PredictionParams(kind="static"),
        ),
        (1, 2),
    ),
    "stage delay": Case(
        SwitchParams(
            ports=4,
            data_width=16,
            depth=5,
            counter_width=16,
            cache=CacheParams(entries=8, ways=2),
            cam=CamParams(latency=5, occupancy=2, entries=64),
            prediction=PredictionParams(kind="latest"),
            lpi=LpiParams(idle=30, sleep=3, wake=4),
            stage_delay=4,
        )
    ),
}
