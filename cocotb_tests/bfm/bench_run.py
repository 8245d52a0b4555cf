"""What a bench gets from its pytest entry, and the results that it leaves for the runner."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import cocotb

from cocotb_tests.bfm.coverage import Coverage
from synth.ports import Port

_COVERAGE = Coverage()
_totals = {"cycles": 0, "mismatches": 0}


class BenchRun:
    """Settings of one test of a bench; coverage and counts are those of all its tests.

    Parameters
    ----------
    test : str
        Name of the test, which also seeds its random numbers.

    Attributes
    ----------
    parameters : dict
        Parameters given by the pytest entry.
    cycles : int
        Number of cycles, or of transactions, to compare.
    random : random.Random
        The only source of random numbers.
    coverage : Coverage
        Functional coverage, shared by the tests of a bench.
    ports : list of Port
        Ports of the design.
    """

    def __init__(self, test: str) -> None:
        self._folder = Path(os.environ["TSUJI_BENCH"])
        settings = json.loads((self._folder / "settings.json").read_text(encoding="utf-8"))
        self.parameters: dict[str, Any] = settings["parameters"]
        self.cycles: int = settings["cycles"]
        self.random = random.Random(f"{settings['seed']}/{test}")
        self.coverage = _COVERAGE
        self.ports = [Port(**port) for port in settings["ports"]]
        cocotb.log.info("TSUJI_SEED=%d test %r parameters %s", settings["seed"], test, self.parameters)

    def count(self, *, cycles: int = 0, mismatches: int = 0) -> None:
        """Add to what was compared, and to what differed."""
        _totals["cycles"] += cycles
        _totals["mismatches"] += mismatches

    def leave(self) -> None:
        """Write the results of the comparisons so far, for the runner."""
        outcome = {**_totals, "bins": self.coverage.bins}
        (self._folder / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")
