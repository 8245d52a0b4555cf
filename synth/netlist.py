"""Netlist of a design for a Lattice ECP5, in a form that can be simulated: cells of Yosys with their behaviour."""

from __future__ import annotations

from pathlib import Path

from synth import toolchain


def netlist(verilog: str, top: str, folder: Path) -> str:
    """Return the Verilog of a design after `synth_ecp5`: Yosys' own simulation models of the cells, connected.

    Parameters
    ----------
    verilog : str
        Verilog of all modules.
    top : str
        Name of the top module; the netlist's module has the same name and ports.
    folder : Path
        Folder for logs and intermediate files.

    Raises
    ------
    TsujiError
        If Yosys fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "design.v").write_text(verilog, encoding="utf-8")
    # While it maps, Yosys knows the cells as black boxes; so the netlist is read anew, with the models of the cells.
    script = (
        f"read_verilog design.v; synth_ecp5 -top \\{top}; write_verilog mapped.v; design -reset; "
        f"read_verilog mapped.v; read_verilog -overwrite +/ecp5/cells_sim.v; hierarchy -top \\{top}; proc; "
        "flatten -wb; clean; write_verilog -noattr netlist.v"
    )
    toolchain.yosys().run(["-q", "-p", script], cwd=folder, log=folder / "yosys.log")
    return (folder / "netlist.v").read_text(encoding="utf-8")
