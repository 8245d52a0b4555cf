"""The list of mutants, read from the TOML files of this folder."""

from __future__ import annotations

import tomllib
from pathlib import Path

from cocotb_tests.mutation.mutant import Mutant


def _setting(mutant: Mutant) -> str:
    """Return bench, design and parameters of a mutant as one text."""
    return repr((mutant.bench, mutant.design, mutant.params, mutant.parameters))


def one_a_bench(mutants: list[Mutant]) -> list[Mutant]:
    """Return the first mutant for each bench, design and set of parameters."""
    first: dict[str, Mutant] = {}
    for mutant in mutants:
        if mutant.bench:
            first.setdefault(_setting(mutant), mutant)
    return list(first.values())


def one_a_stage(mutants: list[Mutant]) -> list[Mutant]:
    """Return the first mutant of each stage's benches, and the first of the soak harness."""
    first: dict[str, Mutant] = {}
    for mutant in mutants:
        stage = mutant.bench.removeprefix("cocotb_tests.unit.").partition(".")[0] if mutant.bench else "switch"
        first.setdefault(stage, mutant)
    return list(first.values())


def read_mutants() -> list[Mutant]:
    """Return the mutants of all TOML files in this folder."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.toml"))]
    return [Mutant(**entry) for text in texts for entry in tomllib.loads(text)["mutant"]]
