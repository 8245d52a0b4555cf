"""`tsuji synth`: size and clock on an FPGA."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tsuji.cli.option_groups import with_option_groups
from tsuji.cli.output import JsonFile
from tsuji.cli.switch import SwitchOverrides


@with_option_groups
def synth(
    files: JsonFile,
    switches: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SWITCH]...", help="Presets `plain` and `cached`, or TOML files.", show_default=False),
    ] = None,
    overrides: SwitchOverrides = None,
    features: Annotated[
        bool, typer.Option("--features", help="Synthesise the plain switch with each feature, and with all.")
    ] = False,
    seeds: Annotated[int, typer.Option(help="Number of placements; 0: no placement, and no clock.", min=0, max=64)] = 3,
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder for logs.")] = Path("build/synth"),
) -> None:
    """Synthesise switches for a Lattice ECP5 and print their size and clock.

    Yosys counts the cells of the switch alone, without the table that replaces its CAM; nextpnr places it with a
    register on every port. `plain` computes routes (8×8 mesh) and has neither cache nor CAM interface; `cached` has a
    64-entry 4-way route cache per port. Both: 5 ports, 2 VCs, 64-bit flits, 4 flits per VC, no counters.

    [bold]Examples[/]

      tsuji synth plain cached

      tsuji synth plain --set switch.vcs=4 --set switch.data_width=32 --seeds 8

      tsuji synth examples/torus8x8.toml --seeds 0 --json size.json

      tsuji synth --features --seeds 0
    """
    from models.errors import TsujiError
    from sim.measure.result import write_json
    from synth.features import features_table, variants
    from synth.report import PRESETS, document, measure, table
    from tsuji.cli.switch import read_switch

    if features and switches:
        raise TsujiError(f"--features: measures the plain switch; leave out {' '.join(switches)}")
    presets = variants() if features else PRESETS
    chosen = []
    for name in switches or list(presets):
        if name in presets:
            chosen.append((name, read_switch(None, [*presets[name], *(overrides or [])])))
        else:
            chosen.append((Path(name).stem, read_switch(Path(name), overrides or [])))
    report = files.console(width=100)
    console = Console(stderr=True, highlight=False)
    results = []
    for name, params in chosen:
        with console.status(f"{name}: synthesis"):
            tell = console.print
            results.append(measure(name, params, range(1, seeds + 1), output / name, tell))
    report.print(features_table(results) if features else table(results))
    if files.json:
        write_json(document(results), files.json)
    console.print(f"logs: {output}", markup=False)
