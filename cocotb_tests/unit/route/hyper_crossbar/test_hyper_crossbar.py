import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.route.hyper_crossbar import HyperCrossbar
from models.params import AdaptiveParams, SwitchParams

CASES = {
    "one dimension": (2, (2,), None, None),
    "exchanger": (5, (4, 3, 6), None, None),
    "adaptive exchanger": (5, (4, 3, 6), None, AdaptiveParams(kind="step")),
    "adaptive, 4 dimensions": (7, (2, 5, 8, 4), None, AdaptiveParams(kind="step", lookahead=True)),
    "crossbar": (3, (4, 3, 6), 1, None),
    "adaptive crossbar": (16, (4, 3, 16), 2, AdaptiveParams(kind="step", lookahead=True)),
}


USUAL = ("one dimension", "exchanger", "adaptive exchanger", "crossbar", "adaptive crossbar")


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_hyper_crossbar(case: str) -> None:
    ports, radix, crossbar, adaptive = CASES[case]
    params = SwitchParams(
        ports=ports, vcs=4, routing="hyper_crossbar", radix=radix, crossbar=crossbar, adaptive=adaptive
    )
    bench = "cocotb_tests.unit.route.hyper_crossbar.bench"
    run_bench(HyperCrossbar(params), bench, case, params.model_dump(), cycles=4000)
