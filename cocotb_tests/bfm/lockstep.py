"""Lockstep comparison of RTL and golden model: every output in every cycle.

A cycle lies between two rising edges. Inputs change just after the rising edge at its beginning; outputs, combinational
ones included, are read at its falling edge, when all signals are stable. The model then computes the same cycle with
the same inputs, and advances as the registers will at the next edge.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.bfm.bench_run import BenchRun
from cocotb_tests.runner.port_layout import split

Values = dict[str, int]
Stimulus = Callable[[int, Values], Values]


class Partly(NamedTuple):
    """An expected output of which only the bits in `mask` are compared."""

    value: int
    mask: int


Expected = int | Partly | None
Model = Callable[[Values], Mapping[str, Expected]]

HISTORY = 8
LONGEST = 20  # factor by which random traffic may be prolonged for a bin that is not hit yet


class Bench(BenchRun):
    """A design under test and the settings of its bench.

    Parameters
    ----------
    dut : cocotb handle
        Top level of the simulation.
    test : str
        As of `BenchRun`.
    """

    def __init__(self, dut: Any, test: str = "") -> None:
        super().__init__(test)
        self._inputs, self._outputs = split(self.ports)
        self._has_reset = "rst" in self._inputs.places
        self._dut = dut
        self._history: deque[tuple[int, Values, Values]] = deque(maxlen=HISTORY)
        self._seen: Values = {}

    async def start(self) -> None:
        """Start the clock and reset; cycle 0 is the first without reset."""
        self._dut.stimulus.value = self._inputs.pack({"rst": 1} if self._has_reset else {})
        Clock(self._dut.clk, 10, "ns").start(start_high=False)
        for _ in range(2):
            await RisingEdge(self._dut.clk)

    async def random_traffic(self, stimulus: Stimulus, model: Model) -> None:
        """Compare for `cycles`, then until every required bin is hit, at most `LONGEST` times as long.

        The time until a rare event depends on the seed, but it must happen. Parameters are those of `lockstep`. For
        benches with a single test, as bins that another test hits would not be hit here.
        """
        await self.lockstep(self.cycles, stimulus, model)
        begin, end = self.cycles, LONGEST * self.cycles
        while begin < end and self.coverage.missed():
            until = min(end, begin + max(1, self.cycles // 4))
            await self.lockstep(until, stimulus, model, begin)
            begin = until

    async def lockstep(self, cycles: int, stimulus: Stimulus, model: Model, first: int = 0) -> None:
        """Compare RTL and model for a number of cycles.

        Parameters
        ----------
        cycles : int
            Number of cycles, including those before `first`.
        stimulus : callable
            `stimulus(cycle, outputs)` returns the inputs of a cycle, given all outputs of the cycle before; inputs left
            out are 0. `rst` is an input like others, and 0 in a design without registers. After a cycle with reset
            `outputs` is empty: a bus model is reset with the design, and must not see earlier outputs.
        model : callable
            `model(inputs)` returns the outputs of the cycle with these inputs, and advances. An output given as None is
            not compared; a `Partly` is compared in some bits; one left out is an error.
        first : int
            Number of cycles that have been compared already.

        Raises
        ------
        AssertionError
            In the first cycle in which an output differs, with the cycles before.
        """
        dut, inputs, outputs = self._dut, self._inputs, self._outputs
        zero = dict.fromkeys(inputs.places, 0)
        seen = self._seen if first else {}
        try:
            for cycle in range(first, cycles):
                given = zero | stimulus(cycle, seen)
                if not self._has_reset:  # nothing to reset
                    given.pop("rst", None)
                dut.stimulus.value = inputs.pack(given)
                given.setdefault("rst", 0)
                expected = model(given)
                await FallingEdge(dut.clk)
                seen = outputs.unpack(int(str(dut.response.value), 2))
                self.count(cycles=1)
                if expected != seen:
                    self._compare(cycle, given, expected, seen)
                self._history.append((cycle, given, seen))
                if given["rst"]:
                    seen = {}
                await RisingEdge(dut.clk)
        finally:
            self._seen = seen
            self.leave()

    @contextmanager
    def comparing(self) -> Iterator[None]:
        """Count a failed assertion within as a mismatch, in a bench that does not use `lockstep`."""
        try:
            yield
        except AssertionError:
            self.count(mismatches=1)
            raise
        finally:
            self.leave()

    def compared_cycle(self) -> None:
        """Count a cycle within `comparing`."""
        self.count(cycles=1)

    def _compare(self, cycle: int, given: Values, expected: Mapping[str, Expected], seen: Values) -> None:
        if expected.keys() != seen.keys():
            raise AssertionError(f"model gives {sorted(expected)}, the design has {sorted(seen)}")
        wrong = [name for name in seen if _differs(expected[name], seen[name])]
        if not wrong:
            return
        self.count(mismatches=len(wrong))
        lines = [f"MISMATCH in cycle {cycle}:"]
        lines += [f"  {name}: model {_text(expected[name])}, RTL {seen[name]:#x}" for name in wrong]
        lines += [f"  inputs {_nonzero(given)}", "  before:"]
        lines += [f"    cycle {at}: in {_nonzero(into)} out {_nonzero(out)}" for at, into, out in self._history]
        raise AssertionError("\n".join(lines))


def _differs(expected: Expected, seen: int) -> bool:
    if isinstance(expected, Partly):
        return bool((expected.value ^ seen) & expected.mask)
    return expected is not None and expected != seen


def _text(expected: Expected) -> str:
    if isinstance(expected, Partly):
        return f"{expected.value:#x} in the bits {expected.mask:#x}"
    return f"{expected:#x}"


def _nonzero(values: Values) -> str:
    return " ".join(f"{name}={value:#x}" for name, value in values.items() if value) or "all 0"
