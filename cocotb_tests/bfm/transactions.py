"""A bench that compares transactions, such as those of a bus, instead of every cycle."""

from __future__ import annotations

from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from cocotb_tests.bfm.bench_run import BenchRun


class Transactions(BenchRun):
    """A design whose ports are driven by their names, and the settings of its bench.

    Parameters
    ----------
    dut : cocotb handle
        Top level of the simulation.
    test : str
        As of `BenchRun`.
    """

    def __init__(self, dut: Any, test: str) -> None:
        super().__init__(test)
        self._inputs = [port.name for port in self.ports if port.is_input and port.name != "clk"]
        self._dut = dut

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
        self.count(cycles=1)
        if seen != expected:
            self.count(mismatches=1)
            self.leave()
            raise AssertionError(f"MISMATCH: {what}: {_text(seen)}, not {_text(expected)}")


def _text(value: object) -> str:
    return f"{value:#x}" if isinstance(value, int) else str(value)
