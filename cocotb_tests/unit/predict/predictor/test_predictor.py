import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.predict.predictor import Predictor
from models.params import PredictionParams, SwitchParams

CASES = {
    "straight on": (SwitchParams(prediction=PredictionParams(kind="static")), 3),
    "no way straight on": (SwitchParams(prediction=PredictionParams(kind="static")), 4),
    "straight, given": (SwitchParams(ports=7, prediction=PredictionParams(kind="static", straight_ports=2)), 0),
    "latest": (SwitchParams(prediction=PredictionParams(kind="latest")), 1),
    "latest of two": (SwitchParams(ports=2, u_turn=True, prediction=PredictionParams(kind="latest")), 0),
    "history of 1": (SwitchParams(prediction=PredictionParams(kind="history", order=1)), 0),
    "history of 2": (SwitchParams(prediction=PredictionParams(kind="history")), 2),
    "history of 4": (SwitchParams(ports=3, u_turn=True, prediction=PredictionParams(kind="history", order=4)), 2),
    "latest of 33": (SwitchParams(ports=33, prediction=PredictionParams(kind="latest")), 32),
    "history, 17 ports": (SwitchParams(ports=17, prediction=PredictionParams(kind="history", order=2)), 16),
}


USUAL = (
    "straight on",
    "no way straight on",
    "straight, given",
    "latest",
    "history of 1",
    "history of 4",
    "history, 17 ports",
)


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_predictor(case: str) -> None:
    params, port = CASES[case]
    parameters = {"switch": params.model_dump(), "port": port}
    run_bench(Predictor(params, port), "cocotb_tests.unit.predict.predictor.bench", case, parameters, cycles=3000)
