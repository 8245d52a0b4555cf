"""A mutant: one replacement in one source file of the hardware, and the Verilog that follows from it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cocotb_tests.runner.verilog import TOP
from models.params import SwitchParams
from synth.mutated import ROOT, mutated, run_in

_WRITE = """\
import sys, json
import hdl, hdl.allocate.arbiter, hdl.route.crc_hash, hdl.transfer.link, hdl.transfer.output_buffer
import hdl.node.plane_selector, hdl.top
from hdl.verilog import component_verilog
from models.params.planes import PlaneParams
from models.params import LinkParams, SwitchParams
given = json.load(sys.stdin)
params = SwitchParams.model_validate(given["params"])
sys.stdout.write(component_verilog(eval(given["design"]), given["top"]))
"""


@dataclass(frozen=True)
class Mutant:
    """A fault.

    Parameters
    ----------
    name : str
        What is wrong with it.
    file : str
        Source file, relative to the project.
    old, new : str
        Text that stands there exactly once, and what replaces it.
    switch : str
        Switch that must show it in the soak harness (`cases.small.SMALL`).
    bench : str
        Bench of a component that must show it instead.
    design : str
        Python expression of the mutated component, of `params` (or of `PlaneParams(...)`, which stand in it).
    params : dict
        Parameters of its switch.
    parameters : dict
        What the bench is told; `params` if empty.
    """

    name: str
    file: str
    old: str
    new: str
    switch: str = "small table"
    bench: str = ""
    design: str = "hdl.top.Top(params)"
    params: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)

    def sound(self, params: SwitchParams) -> str:
        """Return the Verilog of the design without the fault."""
        return _generate(ROOT, self.design, params, self.name)

    def verilog(self, params: SwitchParams) -> str:
        """Return the Verilog of the design with the fault.

        Raises
        ------
        TsujiError
            If the text to replace is not there exactly once: the mutant must follow the source; or if what results is
            no hardware.
        """
        with mutated(self.name, self.file, self.old, self.new) as folder:
            return _generate(folder, self.design, params, self.name)


def _generate(folder: Path, design: str, params: SwitchParams, name: str) -> str:
    """Return the Verilog that the hardware in a folder gives."""
    given = json.dumps({"design": design, "params": params.model_dump(), "top": TOP})
    return run_in(folder, name, ["-c", _WRITE], given)
