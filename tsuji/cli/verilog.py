"""`tsuji verilog`: a switch's Verilog."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.output import writable
from tsuji.cli.switch import SwitchFile, SwitchOverrides, read_switch


def verilog(
    config: SwitchFile = None,
    overrides: SwitchOverrides = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", callback=writable, help="Output file; standard output by default."
        ),
    ] = None,
    table: Annotated[
        bool,
        typer.Option(
            "--table/--no-table", help="Include the table that replaces the CAM, or only the CAM's interface."
        ),
    ] = True,
    name: Annotated[str, typer.Option(help="Name of the module.")] = "tsuji_switch",
    lint: Annotated[bool, typer.Option("--lint", help="Check it with `verilator --lint-only -Wall`.")] = False,
) -> None:
    """Write the Verilog of a switch, with its parameters in a comment at the top.

    Ports are clk, rst, link_in_0_flit_valid, link_in_0_flit_payload, and so on; payloads are packed as
    docs/reference/formats.md says.

    [bold]Examples[/]

      tsuji verilog -o switch.v --lint

      tsuji verilog --set switch.ports=7 --set switch.vcs=4 --set cache.ways=1 -o switch.v

      tsuji verilog --set switch.routing=dimension_order --set "switch.radix=[8, 8]" -o router.v
    """
    from hdl.switch import Switch
    from hdl.top import Top
    from hdl.verilog import component_verilog
    from hdl.verilog_head import verilog_head
    from sim.files.output_file import STDOUT, write_output

    if not name.isidentifier() or not name.isascii():
        raise TsujiError(f"--name {name}: must be letters, digits and underscores, and not begin with a digit")
    params = read_switch(config, overrides or [])
    text = verilog_head(params, name) + component_verilog((Top if table else Switch)(params), name)
    if output is None:
        print(text, end="")
    else:
        write_output(output, text)
    console = Console(stderr=True, highlight=False)
    if lint:
        from synth.lint import lint as check

        check(text, name)
        console.print("verilator --lint-only -Wall: no warnings")
    if output not in (None, STDOUT):
        console.print(f"{output}: module {name}, {text.count(chr(10)):,} lines", markup=False)
