"""Soak harness: RTL against the compiled model for many cycles; the model answers the stimulus first.

The model of a switch that can be batched runs in both forms, whose outputs must be the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from cocotb_tests.cases.shared import Case, position_word
from cocotb_tests.runner.verilog import TOP, switch_verilog
from cocotb_tests.soak.library import Library
from cocotb_tests.soak.stimulus import Stimulus
from cocotb_tests.soak.words import RING, first_difference, pack_inputs, places
from models.batched.limits import can_batch
from models.formats import COUNTERS
from models.top import CREDIT, FLIT, TAIL

BLOCK = 4096


@dataclass
class Soak:
    """Result of a comparison.

    Parameters
    ----------
    name : str
        Name of the parameter set.
    seed : int
        Seed of the stimulus.
    cycles : int
        Cycles in which every output was compared.
    counts : numpy.ndarray
        Events counted by the model, by the numbers of `models.formats.Counter`, all ports together.
    model_s, rtl_s, compare_s, build_s : float
        Seconds spent on each part.
    mismatch : str
        The switch and its first difference; empty without one.
    """

    name: str
    seed: int
    cycles: int = 0
    counts: np.ndarray = field(default_factory=lambda: np.zeros(COUNTERS, np.int64))
    model_s: float = 0.0
    rtl_s: float = 0.0
    compare_s: float = 0.0
    build_s: float = 0.0
    mismatch: str = ""

    @property
    def rate(self) -> float:
        """Compared cycles per second, all parts together."""
        return self.cycles / max(1e-9, self.model_s + self.rtl_s + self.compare_s)


def soak(
    name: str,
    case: Case,
    cycles: int,
    seed: int,
    *,
    text: str | None = None,
    optimise: str = "-O1",
    progress: Callable[[int], None] | None = None,
) -> Soak:
    """Compare RTL and model until `cycles` cycles have passed or an output differs.

    Parameters
    ----------
    name : str
        Name of the parameter set.
    case : Case
        The switch.
    cycles : int
        Number of cycles.
    seed : int
        The same seed gives the same run.
    text : str, optional
        Verilog to run instead of the switch's own: a mutant.
    optimise : str
        Optimisation option of the C++ compiler: "-O0" builds in half the time and runs at a fifth of the speed.
    progress : callable, optional
        Called with the number of cycles of each block done.
    """
    result = Soak(name, seed)
    begun = time.perf_counter()
    library = Library(text or switch_verilog(case.params), TOP, optimise)
    at = places(case.params, library.inputs, library.outputs)
    stimulus = Stimulus(case.params, seed, position=case.position, batched=False)
    in_batch = Stimulus(case.params, seed, position=case.position) if can_batch(case.params) else None
    ring = np.zeros(RING, np.uint64)
    result.build_s = time.perf_counter() - begun
    while result.cycles < cycles and not result.mismatch:
        block = min(BLOCK, cycles - result.cycles)
        marks = [time.perf_counter()]
        ports, control, sent, status = stimulus.block(block)
        apart = _apart((ports, control, sent, status), in_batch.block(block)) if in_batch else None
        marks.append(time.perf_counter())
        words = library.inputs.blank(block)
        pack_inputs(at, ports, control, ring, words)
        if case.position:
            library.inputs.put(words, "position", np.full(block, position_word(case)))
        marks.append(time.perf_counter())
        response = library.run(words)
        marks.append(time.perf_counter())
        differs = int(first_difference(at, sent, status, ring, response))
        marks.append(time.perf_counter())
        if differs >= 0:
            first = _describe(library, result.cycles + differs, sent[differs], words, response, differs)
            result.mismatch = f"{case.params!r}, position {case.position}\n{first}"
            block = differs
        elif apart is not None:
            block = apart
            cycle = result.cycles + apart
            result.mismatch = f"{case.params!r}: in a batch, the model does something else in cycle {cycle}"
        result.cycles += block
        result.counts = stimulus.counts
        result.model_s += marks[1] - marks[0]
        result.compare_s += marks[2] - marks[1] + marks[4] - marks[3]
        result.rtl_s += marks[3] - marks[2]
        if progress:
            progress(block)
    library.close()
    return result


def _apart(expected: Sequence[np.ndarray], found: Sequence[np.ndarray]) -> int | None:
    """Return the first row in which arrays differ; None if they are equal."""
    rows = [np.argwhere(mine != theirs)[:, 0] for mine, theirs in zip(expected, found, strict=True)]
    return min((int(each.min()) for each in rows if len(each)), default=None)


def _describe(library: Library, cycle: int, sent: np.ndarray, words: np.ndarray, response: np.ndarray, row: int) -> str:
    """Return the cycle of the first difference, the outputs of the model, and those of the RTL."""

    def show(values: dict[str, int]) -> str:
        return " ".join(f"{name}={value:#x}" for name, value in values.items() if value)

    model = [
        f"port {p}: " + ", ".join(part for part in (_flit(row), _credit(row)) if part) for p, row in enumerate(sent)
    ]
    lines = [f"first difference in cycle {cycle}; the model gives"]
    lines += [f"  {line}" for line in model if not line.endswith(": ")] or ["  no flit and no credit"]
    lines += [f"the RTL gives\n  {show(_values(library, response[row], outputs=True))}"]
    for back in range(max(0, row - 4), row + 1):
        lines.append(f"inputs of cycle {cycle - row + back}\n  {show(_values(library, words[back], outputs=False))}")
    return "\n".join(lines)


def _values(library: Library, row: np.ndarray, *, outputs: bool) -> dict[str, int]:
    layout = library.outputs if outputs else library.inputs
    return layout.unpack(int.from_bytes(row.tobytes(), "little"))


def _flit(row: np.ndarray) -> str:
    return f"flit on VC {row[1]}{', tail' if row[TAIL] else ''}" if row[FLIT] else ""


def _credit(row: np.ndarray) -> str:
    return f"credit for VC {row[6]}" if row[CREDIT] else ""
