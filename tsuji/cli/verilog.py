"""`tsuji verilog`: a switch's Verilog."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.module_options import ModuleOptions, TextFile
from tsuji.cli.option_groups import with_option_groups
from tsuji.cli.output import one_of


@with_option_groups
def verilog(
    switch: ModuleOptions,
    file: TextFile,
    core: Annotated[
        Path | None,
        typer.Option(metavar="FILE", callback=one_of(".core"), help="Also write a core file for FuseSoC, FILE.core."),
    ] = None,
    lint: Annotated[bool, typer.Option("--lint", help="Check it with `verilator --lint-only -Wall`.")] = False,
) -> None:
    """Write the Verilog of a switch.

    The comment at its head lists its parameters, ports and layouts, its rules of credits and reset, and an instance of
    it. `tsuji formats` prints the same.

    [bold]Examples[/]

      tsuji verilog -o switch.v --lint

      tsuji verilog --set switch.ports=7 --set switch.vcs=4 --set cache.ways=1 -o switch.v --core switch.core

      tsuji verilog --set switch.routing=dimension_order --set "switch.radix=[8, 8]" -o router.v --split-payloads

      tsuji verilog examples/torus8x8.toml --ports axi -o switch.v
    """
    from hdl.fusesoc_core import fusesoc_core
    from hdl.verilog_file import verilog_file
    from sim.files.output_file import STDOUT, write_output

    output = file.output
    if core is not None:
        _check_core(core, output)
    text = verilog_file(switch.module(), switch.name)
    file.write(text)
    if core is not None and output is not None:
        write_output(core, fusesoc_core(switch.name, os.path.relpath(output, core.parent)))
    console = Console(stderr=True, highlight=False)
    if lint:
        from synth.lint import lint as check

        check(text, switch.name)
        console.print("verilator --lint-only -Wall: no warnings")
    if output not in (None, STDOUT):
        console.print(f"{output}: module {switch.name}, {text.count(chr(10)):,} lines", markup=False, soft_wrap=True)


def _check_core(core: Path, output: Path | None) -> None:
    """Refuse a core file without a Verilog file, or in its place."""
    from sim.files.output_file import STDOUT

    if output in (None, STDOUT):
        raise TsujiError(f"--core {core}: names the Verilog file; write that, too, with --output FILE")
    if core.resolve() == output.resolve():
        raise TsujiError(f"--core {core}: is the file of --output, too; give them different names")
