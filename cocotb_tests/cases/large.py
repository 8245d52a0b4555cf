"""Large parameter sets: each parameter near the end of its range in one of them; `make soak` compares them."""

from __future__ import annotations

from cocotb_tests.cases.case import Case
from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, PredictionParams, SwitchParams

_CACHE = CacheParams(entries=8, ways=2)
_CAM = CamParams(latency=5, occupancy=2, entries=64)

LARGE: dict[str, Case] = {
    "large depth": Case(
        SwitchParams(ports=3, data_width=16, depth=200, counter_width=24, cache=_CACHE, cam=_CAM),
    ),
    "large packets": Case(
        SwitchParams(
            ports=3,
            data_width=16,
            depth=300,
            buffering="dynamic",
            max_packet=150,
            counter_width=24,
            cache=_CACHE,
            cam=_CAM,
        ),
    ),
    "largest depth": Case(
        SwitchParams(
            ports=2,
            vcs=1,
            data_width=8,
            depth=4096,
            buffering="dynamic",
            max_packet=2048,
            u_turn=True,
            counter_width=32,
            routing="linear",
            table_entries=16,
        ),
    ),
    "large switch": Case(
        SwitchParams(
            ports=16, vcs=8, data_width=16, depth=4, counter_width=24, cache=_CACHE, cam=_CAM, lpi=LpiParams(idle=30)
        ),
    ),
    "largest ports": Case(
        SwitchParams(
            ports=62,
            vcs=1,
            data_width=16,
            depth=2,
            counter_width=0,
            routing="linear",
            table_entries=128,
            network_ports=58,
            node_ports=2,
            prediction=PredictionParams(kind="static", straight_ports=58),
        ),
    ),
    "most choices": Case(
        SwitchParams(
            ports=46,
            vcs=2,
            data_width=16,
            depth=2,
            counter_width=0,
            routing="linear",
            table_entries=64,
            adaptive=AdaptiveParams(escape_vcs=1),
        ),
    ),
    "largest VCs": Case(
        SwitchParams(
            ports=3,
            vcs=16,
            data_width=16,
            depth=3,
            counter_width=24,
            cache=_CACHE,
            cam=_CAM,
            adaptive=AdaptiveParams(escape_vcs=15),
        ),
    ),
    "large cache": Case(
        SwitchParams(
            ports=2,
            vcs=1,
            data_width=16,
            depth=4,
            u_turn=True,
            counter_width=24,
            cache=CacheParams(entries=4096, ways=16),
            cam=CamParams(latency=4, occupancy=1, entries=65536),
        ),
    ),
    # With as many sets as tags, a CRC of consecutive tags has no conflicts, and so no evictions.
    "largest cache": Case(
        SwitchParams(
            ports=2,
            vcs=1,
            data_width=16,
            depth=4,
            u_turn=True,
            counter_width=24,
            cache=CacheParams(entries=32768, ways=1, crc_polynomial=0x104C11DB7),
            cam=CamParams(latency=4, occupancy=1, entries=65536),
        ),
    ),
    "fully associative, many": Case(
        SwitchParams(
            ports=2, data_width=16, u_turn=True, counter_width=24, cache=CacheParams(entries=64, ways=64), cam=_CAM
        ),
    ),
    "largest table": Case(
        SwitchParams(
            ports=3, data_width=64, tag_width=64, depth=4, counter_width=24, routing="linear", table_entries=65536
        ),
    ),
    "largest ternary table": Case(
        SwitchParams(
            ports=3,
            data_width=40,
            tag_width=40,
            counter_width=24,
            cache=_CACHE,
            cam=CamParams(latency=6, occupancy=1, entries=1024, match="ternary"),
        ),
    ),
    "slow table": Case(
        SwitchParams(
            ports=3,
            data_width=16,
            counter_width=24,
            cache=CacheParams(entries=1, ways=1),
            cam=CamParams(latency=1023, occupancy=1023, entries=64),
        ),
    ),
    "longest head delay": Case(
        SwitchParams(
            ports=4,
            data_width=16,
            depth=6,
            counter_width=24,
            head_delay=63,
            cache=_CACHE,
            cam=_CAM,
            lpi=LpiParams(idle=70),
        ),
    ),
    "head delay, batched": Case(
        SwitchParams(
            vcs=3,
            data_width=16,
            depth=5,
            counter_width=0,
            hold_packets=False,
            allocator="output_first",
            routing="dimension_order",
            radix=(4, 3),
            head_delay=40,
            vc_stage=True,
        ),
        (3, 1),
    ),
    "longest stage delay": Case(
        SwitchParams(
            ports=3, data_width=16, counter_width=24, stage_delay=1023, cache=_CACHE, cam=_CAM, lpi=LpiParams(idle=40)
        ),
    ),
    "largest output queues": Case(
        SwitchParams(ports=3, data_width=16, counter_width=24, output_buffer=64, cache=_CACHE, cam=_CAM),
    ),
    "largest output FIFO": Case(
        SwitchParams(ports=3, data_width=16, counter_width=24, speedup=4, output_buffer=64, cache=_CACHE, cam=_CAM),
    ),
    "long low-power times": Case(
        SwitchParams(
            ports=5,
            data_width=16,
            counter_width=32,
            routing="dimension_order",
            radix=(16, 16),
            lpi=LpiParams(idle=100, sleep=4480, wake=2880, refresh_interval=300, refresh=280, hints=15),
        ),
        (3, 7),
    ),
    "longest history": Case(
        SwitchParams(
            ports=6,
            data_width=16,
            counter_width=24,
            routing="dimension_order",
            radix=(4, 3),
            prediction=PredictionParams(kind="history", order=4),
        ),
        (3, 1),
    ),
    "many node ports": Case(
        SwitchParams(
            ports=12,
            vcs=5,
            data_width=24,
            tag_width=28,
            depth=5,
            counter_width=64,
            routing="dimension_order",
            radix=(40000, 200),
            wrap=True,
            node_ports=4,
            adaptive=AdaptiveParams(kind="escape"),
        ),
        (39999, 0),
    ),
}
