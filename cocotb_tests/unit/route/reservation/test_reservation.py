import pytest

from cocotb_tests.runner.run_bench import run_bench
from hdl.route.reservation import Asker, Reservations
from models.params import AdaptiveParams, SwitchParams

BENCH = "cocotb_tests.unit.route.reservation.bench"
EXCHANGERS = {"2 dimensions": (3, 2, (4, 3)), "3 dimensions, 2 nodes": (5, 3, (4, 3, 6)), "1 dimension": (2, 2, (2,))}


def _exchanger(ports: int, vcs: int, radix: tuple[int, ...]) -> SwitchParams:
    adaptive = AdaptiveParams(kind="step", lookahead=True, reservation=True)
    return SwitchParams(ports=ports, vcs=vcs, routing="hyper_crossbar", radix=radix, adaptive=adaptive)


@pytest.mark.parametrize("case", EXCHANGERS)
def test_reservations(case: str) -> None:
    params = _exchanger(*EXCHANGERS[case])
    crossbar = params.crossbar_of(len(params.radix) - 1)
    run_bench(Reservations(crossbar), BENCH, f"crossbar, {case}", {"switch": crossbar.model_dump()}, cycles=3000)


@pytest.mark.parametrize("case", EXCHANGERS)
def test_asker(case: str) -> None:
    params = _exchanger(*EXCHANGERS[case])
    dimension = len(params.radix) - 1
    parameters = {"switch": params.model_dump(), "dimension": dimension}
    run_bench(Asker(params, dimension), BENCH, f"exchanger, {case}", parameters, cycles=3000)


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_who_needs_what() -> None:
    exchanger = _exchanger(3, 2, (4, 3))
    with pytest.raises(ValueError, match="Asker needs an exchanger"):
        Asker(exchanger.crossbar_of(0), 0)
    with pytest.raises(ValueError, match="Reservations needs one"):
        Reservations(exchanger)
