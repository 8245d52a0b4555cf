"""Networks advanced by two and four processes under MPI: every packet, counter and figure is that of one process."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.engine.processes.call import ProcessesCall
from sim.simulation import build
from tests.mpi_launcher import under_mpi
from tests.sim.engine.processes import cases


@cache
def expected(name: str) -> Any:
    return cases.run(name)


@pytest.fixture(scope="module", params=[2, 4])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the cases return under MPI, by name."""
    for name in cases.names():
        expected(name)  # now, so that most of what is compiled is on disk
    file = tmp_path_factory.mktemp("processes") / "found.pickle"
    done = under_mpi(request.param, "-m", "tests.sim.engine.processes.cases", file)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = pickle.loads(file.read_bytes())
    return result


def test_every_case_is_that_of_one_process(found: dict[str, Any]) -> None:
    assert len(found) > 10
    for name, each in found.items():
        _assert_same(each, expected(name), name)


def _assert_same(found: Any, expected: Any, name: str) -> None:
    if isinstance(expected, dict):
        assert found == expected, name
        return
    for number, (each, other) in enumerate(zip(found, expected, strict=True)):
        assert np.array_equal(each, other), f"{name}, {number}"


def test_cases_are_no_empty_ones() -> None:
    """There is a deadlock, and flits are in the buffers in the middle of a run."""
    assert "form a cycle of waits (deadlock)" in expected("deadlock")[0]
    for name in cases.PACKETS:
        assert expected(name)[8].any(), name


def test_a_network_whose_process_has_failed_is_not_advanced(monkeypatch: pytest.MonkeyPatch) -> None:
    class Two:
        rank, size = 0, 2

    network = build(load(None, cases.COMPUTED), processes=Two())  # type: ignore[arg-type]
    assert network.processes == 2
    assert isinstance(network._call, ProcessesCall)  # type: ignore[union-attr]

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.engine.processes.call.Exchange", interrupt)
    with pytest.raises(KeyboardInterrupt):
        network.advance(10)
    with pytest.raises(TsujiError, match="has failed; build it anew"):
        network.advance(10)
