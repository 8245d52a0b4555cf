"""Switches that compute routes on other networks than tori and meshes, as a corner case and as a small switch."""

from __future__ import annotations

from cocotb_tests.cases.case import Case
from models.params import AdaptiveParams, LpiParams, PredictionParams, SwitchParams

COMPUTED = {
    "HyperX, adaptive": Case(
        SwitchParams(
            ports=10,
            vcs=3,
            data_width=24,
            depth=3,
            routing="hyperx",
            radix=(4, 3, 2),
            counter_width=24,
            node_ports=2,
            adaptive=AdaptiveParams(kind="escape"),
        ),
        (1, 2, 0),
    ),
    "dragonfly, predicted, low-power idle": Case(
        SwitchParams(
            ports=7,
            vcs=3,
            data_width=24,
            depth=4,
            routing="dragonfly",
            radix=(3, 7),
            arrangement="circulant",
            counter_width=24,
            prediction=PredictionParams(kind="latest"),
            lpi=LpiParams(idle=9, sleep=3, wake=4),
        ),
        (1, 4),
    ),
    "fat tree, adaptive": Case(
        SwitchParams(
            ports=6,
            vcs=3,
            data_width=24,
            depth=4,
            routing="fat_tree",
            radix=(3, 3, 3),
            buffering="dynamic",
            max_packet=3,
            counter_width=24,
            adaptive=AdaptiveParams(kind="escape", escape_vcs=1),
        ),
        (1, 2, 0),
    ),
}
SMALL_COMPUTED = {
    "small HyperX": Case(
        SwitchParams(ports=5, data_width=8, depth=3, counter_width=0, routing="hyperx", radix=(3, 3)), (1, 2)
    ),
    "small dragonfly": Case(
        SwitchParams(ports=3, data_width=8, depth=3, counter_width=0, routing="dragonfly", radix=(2, 3)), (1, 2)
    ),
    "small fat tree": Case(
        SwitchParams(ports=4, data_width=8, depth=3, counter_width=0, routing="fat_tree", radix=(2, 2, 2)), (1, 0, 1)
    ),
}
