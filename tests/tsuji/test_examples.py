"""The programs of examples/python: one for each family of topologies, and all run."""

import runpy
from pathlib import Path

import pytest

from sim.config.measure import MeasureParams
from sim.topology.family import FAMILIES

PROGRAMS = Path(__file__).parents[2] / "examples" / "python"


def test_every_family_has_a_program():
    assert {path.stem for path in PROGRAMS.glob("*.py")} == set(FAMILIES.names())


@pytest.mark.parametrize("name", FAMILIES.names())
def test_it_runs(name, monkeypatch, capsys):
    # Shorter than a user's run: the test is that it runs, not what it measures.
    quick = {"period": 100, "fill_periods": 2, "max_warmup_periods": 3, "measure_periods": 1, "max_measure_periods": 1}
    monkeypatch.setattr(MeasureParams, "__init__", _with(MeasureParams.__init__, quick))
    runpy.run_path(str(PROGRAMS / f"{name}.py"), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) > 1


def _with(init, defaults):
    return lambda self, **given: init(self, **(defaults | given))
