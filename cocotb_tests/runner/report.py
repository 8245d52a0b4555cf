"""Report of a comparison of RTL and model: one JSON file, read again for the summary."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cocotb_tests.bfm.coverage import never_hit
from cocotb_tests.runner.verilator import BUILD

REPORTS = BUILD / "cosim"


@dataclass
class Report:
    """Result of a bench.

    Parameters
    ----------
    bench : str
        Name of the bench.
    case : str
        Name of the parameter set.
    seed : int
        Seed of the run.
    cycles : int
        Cycles in which every output was compared.
    mismatches : int
        Outputs that differed.
    tests : int
        Cocotb tests run.
    bins : dict of str to int
        Functional coverage: hits of each required bin.
    lines : float or None
        Fraction of Verilog lines executed, if measured.
    build_s, run_s : float
        Wall time.
    failed : str
        Reason of a failure; empty without one.
    """

    bench: str
    case: str
    seed: int
    cycles: int = 0
    mismatches: int = 0
    tests: int = 0
    bins: dict[str, int] = field(default_factory=dict)
    lines: float | None = None
    build_s: float = 0.0
    run_s: float = 0.0
    failed: str = ""

    @property
    def missed(self) -> list[str]:
        """Required bins that were not hit."""
        return never_hit(self.bins)

    def write(self, folder: Path) -> None:
        """Write the report as `report.json` in `folder`."""
        (folder / "report.json").write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")

    @staticmethod
    def read(path: Path) -> Report:
        """Return the report in a file."""
        return Report(**json.loads(path.read_text(encoding="utf-8")))
