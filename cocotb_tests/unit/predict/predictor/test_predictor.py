import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import run_bench
from hdl.predict.predictor import Predictor
from models.params import PredictionParams, SwitchParams

ROW = SwitchParams(
    routing="dimension_order", radix=(5, 3), prediction=PredictionParams(kind="static", local="longer_x")
)
CASES: dict[str, tuple[SwitchParams, int] | tuple[SwitchParams, int, tuple[int, ...]]] = {
    "straight on": (SwitchParams(prediction=PredictionParams(kind="static")), 3),
    "no way straight on": (SwitchParams(prediction=PredictionParams(kind="static")), 4),
    "straight, given": (SwitchParams(ports=7, prediction=PredictionParams(kind="static", straight_ports=2)), 0),
    "local": (SwitchParams(prediction=PredictionParams(kind="static", local="plus_x")), 4),
    "local, above network ports": (
        SwitchParams(
            ports=8,
            routing="dimension_order",
            radix=(4, 3),
            wrap=True,
            prediction=PredictionParams(kind="static", straight_ports=2, local="plus_x"),
        ),
        3,
    ),
    **{
        f"local, {x} of {k}": (ROW.model_copy(update={"radix": (k, 3)}), 4, (x, 2))
        for k, x in ((2, 0), (2, 1), (5, 1), (5, 2), (5, 3), (8, 3), (8, 4))
    },
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
    "local",
    "local, above network ports",
    "local, 2 of 5",
    "local, 4 of 8",
    "latest",
    "history of 1",
    "history of 4",
    "history, 17 ports",
)


@pytest.mark.parametrize("case", tiered(CASES, USUAL))
def test_predictor(case: str) -> None:
    params, port, *position = CASES[case]
    parameters = {"switch": params.model_dump(), "port": port, "position": position[0] if position else ()}
    run_bench(Predictor(params, port), "cocotb_tests.unit.predict.predictor.bench", case, parameters, cycles=3000)
