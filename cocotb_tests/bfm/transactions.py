"""Settings and results of a bench that compares transactions, such as those of a bus, instead of every cycle."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from cocotb_tests.bfm.lockstep import COVERAGE

_totals = {"cycles": 0, "mismatches": 0}


class Transactions:
    """A design whose ports are driven by their names, and the settings of its bench.

    Parameters
    ----------
    dut : cocotb handle
        Top level of the simulation.
    test : str
        Name of the test, which also seeds its random numbers.

    Attributes
    ----------
    parameters : dict
        Parameters given by the pytest entry.
    count : int
        Number of transactions to compare.
    random : random.Random
        The only source of random numbers.
    coverage : Coverage
        Functional coverage, shared by the tests of a bench.
    """

    def __init__(self, dut: Any, test: str) -> None:
        self._folder = Path(os.environ["TSUJI_BENCH"])
        settings = json.loads((self._folder / "settings.json").read_text(encoding="utf-8"))
        self.parameters: dict[str, Any] = settings["parameters"]
        self.count: int = settings["cycles"]
        self.random = random.Random(f"{settings['seed']}/{test}")
        self.coverage = COVERAGE
        self._inputs = [port["name"] for port in settings["ports"] if port["is_input"] and port["name"] != "clk"]
        self._dut = dut
        cocotb.log.info("TSUJI_SEED=%d test %r parameters %s", settings["seed"], test, self.parameters)

    async def start(self) -> None:
        """Set all inputs to 0, start the clock and reset."""
        for name in self._inputs:
            getattr(self._dut, name).value = int(name == "rst")
        Clock(self._dut.clk, 10, "ns").start(start_high=False)
        for _ in range(3):
            await RisingEdge(self._dut.clk)
        self._dut.rst.value = 0
        await RisingEdge(self._dut.clk)

    def compare(self, what: str, seen: object, expected: object) -> None:
        """Compare the outcome of a transaction.

        Raises
        ------
        AssertionError
            If it differs.
        """
        _totals["cycles"] += 1
        if seen != expected:
            _totals["mismatches"] += 1
            self.finish()
            raise AssertionError(f"MISMATCH: {what}: {_text(seen)}, not {_text(expected)}")

    def finish(self) -> None:
        """Write the results of the comparisons so far, for the runner."""
        outcome = {**_totals, "bins": self.coverage.bins}
        (self._folder / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")


def _text(value: object) -> str:
    return f"{value:#x}" if isinstance(value, int) else str(value)
