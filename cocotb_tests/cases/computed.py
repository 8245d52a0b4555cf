"""Switches that compute routes on other networks than tori and meshes, as a corner case and as a small switch."""

from __future__ import annotations

from cocotb_tests.cases.case import Case
from models.params import AdaptiveParams, SwitchParams

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
}
SMALL_COMPUTED = {
    "small HyperX": Case(
        SwitchParams(ports=5, data_width=8, depth=3, counter_width=0, routing="hyperx", radix=(3, 3)), (1, 2)
    ),
}
