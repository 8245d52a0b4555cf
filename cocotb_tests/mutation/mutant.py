"""A mutant: one replacement in one source file of the hardware, and the Verilog that follows from it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from cocotb_tests.generated import TOP
from cocotb_tests.verilated import BUILD, ROOT
from models.errors import TsujiError
from models.params import SwitchParams

_WRITE = """\
import sys, json
import hdl, hdl.arbiter, hdl.crc_hash, hdl.link, hdl.top
from hdl.verilog import component_verilog
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
        Switch that must show it in the soak harness (`mutants.SWITCHES`).
    bench : str
        Bench of a component that must show it instead.
    design : str
        Python expression of the mutated component, of `params`.
    params : dict
        Parameters of its switch.
    parameters : dict
        What the bench is told; `params` if empty.
    """

    name: str
    file: str
    old: str
    new: str
    switch: str = "table"
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
        source = (ROOT / self.file).read_text(encoding="utf-8")
        if source.count(self.old) != 1:
            raise TsujiError(
                f"mutant {self.name!r}: {self.file} has {source.count(self.old)} of {self.old!r}, not 1; "
                "change the mutant with the source"
            )
        digest = sha256(repr(self).encode()).hexdigest()[:16]
        folder = BUILD / "mutants" / f"{digest}-{os.getpid()}"
        shutil.copytree(ROOT / "hdl", folder / "hdl", ignore=shutil.ignore_patterns("__pycache__"))
        try:
            (folder / self.file).write_text(source.replace(self.old, self.new), encoding="utf-8")
            return _generate(folder, self.design, params, self.name)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _generate(folder: Path, design: str, params: SwitchParams, name: str) -> str:
    """Return the Verilog that the hardware in a folder gives."""
    path = os.pathsep.join([str(folder), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", _WRITE],
        input=json.dumps({"design": design, "params": params.model_dump(), "top": TOP}),
        env={**os.environ, "PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise TsujiError(f"mutant {name!r} is no hardware:\n{done.stderr[-2000:]}")
    return done.stdout
