"""The mutants, and the switches that must betray those of the switch."""

from __future__ import annotations

import tomllib
from pathlib import Path

from cocotb_tests.cases import Case
from cocotb_tests.mutation.mutant import Mutant
from models.params import CacheParams, CamParams, LpiParams, PredictionParams, SwitchParams

SWITCHES: dict[str, Case] = {
    "table": Case(
        SwitchParams(
            ports=3,
            data_width=16,
            depth=2,
            counter_width=8,
            cache=CacheParams(entries=8, ways=4),
            cam=CamParams(latency=6, occupancy=3, entries=32),
        )
    ),
    "long header": Case(
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
    "cut-through": Case(
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
    "static": Case(
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
    "low-power idle": Case(
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
    "predicted": Case(
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
    "predicted, cached": Case(
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
    "stage delay": Case(
        SwitchParams(
            ports=3, data_width=16, depth=5, counter_width=0, routing="dimension_order", radix=(5,), stage_delay=4
        ),
        (2,),
    ),
    "speed-up": Case(
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
    "speed-up, predicted": Case(
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
    "lanes": Case(
        SwitchParams(
            ports=6,
            data_width=16,
            depth=3,
            counter_width=0,
            cache=CacheParams(entries=8, ways=4),
            cam=CamParams(latency=6, occupancy=3, entries=32),
            lanes=2,
            network_ports=2,
        )
    ),
    "lanes, computed": Case(
        SwitchParams(ports=6, data_width=8, depth=3, counter_width=0, routing="dimension_order", radix=(5,), lanes=2),
        (2,),
    ),
    "torus": Case(
        SwitchParams(
            ports=5, data_width=8, depth=3, counter_width=0, routing="dimension_order", radix=(4, 5), wrap=True
        ),
        (1, 3),
    ),
}


def one_a_bench(mutants: list[Mutant]) -> list[Mutant]:
    """Return the first mutant of each bench, design and parameters."""
    first: dict[str, Mutant] = {}
    for mutant in mutants:
        if mutant.bench:
            first.setdefault(repr((mutant.bench, mutant.design, mutant.params, mutant.parameters)), mutant)
    return list(first.values())


def read_mutants() -> list[Mutant]:
    """Return the mutants of all TOML files in this folder."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.toml"))]
    return [Mutant(**entry) for text in texts for entry in tomllib.loads(text)["mutant"]]
