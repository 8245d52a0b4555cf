import pytest

from cocotb_tests.runner.run_bench import run_bench
from hdl.route.lookahead import Lookahead
from models.params import AdaptiveParams, SwitchParams


@pytest.mark.parametrize(("radix", "vcs"), [((4, 4), 2), ((3, 2, 16), 3), ((2,), 1)])
def test_lookahead(radix: tuple[int, ...], vcs: int) -> None:
    params = SwitchParams(
        ports=len(radix) + 1,
        vcs=vcs,
        routing="hyper_crossbar",
        radix=radix,
        adaptive=AdaptiveParams(kind="step", lookahead=True),
    ).crossbar_of(len(radix) - 1)
    case = f"{params.ports} ports, {vcs} VCs"
    run_bench(Lookahead(params), "cocotb_tests.unit.route.lookahead.bench", case, params.model_dump(), cycles=2000)
