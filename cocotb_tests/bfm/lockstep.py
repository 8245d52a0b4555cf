"""The loop that holds RTL and model to each other: every output, every cycle.

A cycle lies between two rising edges. Inputs change just after the rising edge that begins it; outputs, combinational
ones included, are read at its falling edge, when everything has settled; the model is asked for the same cycle with the
same inputs, and then advances as the registers will at the next edge.
"""

from __future__ import annotations

import json
import os
import random
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.bfm.coverage import Coverage
from cocotb_tests.runner.port_layout import split
from synth.ports import Port

Values = dict[str, int]
Stimulus = Callable[[int, Values], Values]


class Partly(NamedTuple):
    """An output of which only the bits of `mask` are compared: the rest may be anything."""

    value: int
    mask: int


Expected = int | Partly | None
Model = Callable[[Values], Mapping[str, Expected]]

COVERAGE = Coverage()
HISTORY = 8
LONGEST = 20  # times as long random traffic goes on for a bin that it has not hit

_totals = {"cycles": 0, "mismatches": 0}


class Bench:
    """A design under test with its settings.

    Parameters
    ----------
    dut : cocotb handle
        The top of the simulation.
    test : str
        Name of the test; each has random numbers of its own.

    Attributes
    ----------
    parameters : dict
        What the pytest entry gave.
    cycles : int
        How long to run.
    random : random.Random
        The only source of random numbers.
    coverage : Coverage
        Shared by the tests of a bench.
    """

    def __init__(self, dut: Any, test: str = "") -> None:
        self._folder = Path(os.environ["TSUJI_BENCH"])
        settings = json.loads((self._folder / "settings.json").read_text(encoding="utf-8"))
        self.parameters: dict[str, Any] = settings["parameters"]
        self.cycles: int = settings["cycles"]
        self.random = random.Random(f"{settings['seed']}/{test}")
        self.coverage = COVERAGE
        ports = [Port(**port) for port in settings["ports"]]
        self._inputs, self._outputs = split(ports)
        self._has_reset = "rst" in self._inputs.places
        self._dut = dut
        self._history: deque[tuple[int, Values, Values]] = deque(maxlen=HISTORY)
        self._seen: Values = {}
        cocotb.log.info("TSUJI_SEED=%d test %r parameters %s", settings["seed"], test, self.parameters)

    async def start(self) -> None:
        """Start the clock and reset; cycle 0 is the first without reset."""
        self._dut.stimulus.value = self._inputs.pack({"rst": 1} if self._has_reset else {})
        Clock(self._dut.clk, 10, "ns").start(start_high=False)
        for _ in range(2):
            await RisingEdge(self._dut.clk)

    async def random_traffic(self, stimulus: Stimulus, model: Model) -> None:
        """Compare for `cycles`, and on until every required bin is hit, at most `LONGEST` times as long.

        How soon a rare event happens depends on the seed; that it happens must not. Parameters are those of `lockstep`.
        For benches of one test, as bins that only another test hits would not be.
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
            How many, those before `first` included.
        stimulus : callable
            `stimulus(cycle, outputs)` returns the inputs of a cycle, given all outputs of the cycle before; inputs it
            leaves out are 0. `rst` is an input like others, 0 in a design without registers. After a cycle with reset
            there are no outputs: who drives a design is reset with it and hears nothing of its past.
        model : callable
            `model(inputs)` returns the outputs of the cycle with these inputs, and advances. An output given as None is
            not compared, one given as `Partly` in some bits; one left out is an error.
        first : int
            Cycles that have been compared already.

        Raises
        ------
        AssertionError
            At the first cycle in which an output differs, with the cycles that led to it.
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
                _totals["cycles"] += 1
                if expected != seen:
                    self._compare(cycle, given, expected, seen)
                self._history.append((cycle, given, seen))
                if given["rst"]:
                    seen = {}
                await RisingEdge(dut.clk)
        finally:
            self._seen = seen
            self._leave()

    def _compare(self, cycle: int, given: Values, expected: Mapping[str, Expected], seen: Values) -> None:
        if expected.keys() != seen.keys():
            raise AssertionError(f"model gives {sorted(expected)}, the design has {sorted(seen)}")
        wrong = [name for name in seen if _differs(expected[name], seen[name])]
        if not wrong:
            return
        _totals["mismatches"] += len(wrong)
        lines = [f"MISMATCH in cycle {cycle}:"]
        lines += [f"  {name}: model {_text(expected[name])}, RTL {seen[name]:#x}" for name in wrong]
        lines += [f"  inputs {_nonzero(given)}", "  before:"]
        lines += [f"    cycle {at}: in {_nonzero(into)} out {_nonzero(out)}" for at, into, out in self._history]
        raise AssertionError("\n".join(lines))

    def _leave(self) -> None:
        """Write what was compared so far, for the runner."""
        outcome = {**_totals, "bins": self.coverage.bins}
        (self._folder / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")


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
