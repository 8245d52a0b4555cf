"""`tsuji registers`: the registers of a switch behind AXI4-Lite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tsuji.cli.output import folder, writable
from tsuji.cli.ports import NetworkPorts, PortKind, read_streams
from tsuji.cli.switch import MODULE, ModuleName, SwitchFile, SwitchOverrides, WithTable, read_switch
from tsuji.registers.export import Format


def registers(
    config: SwitchFile = None,
    overrides: SwitchOverrides = None,
    form: Annotated[
        Format, typer.Option("--format", help="Form of the output: Markdown, SystemRDL, C header or JSON.")
    ] = Format.MARKDOWN,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", callback=writable, help="Output file; standard output by default."
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            callback=folder,
            help="Write pages of HTML into a folder; browsers show them from a web server.",
        ),
    ] = None,
    table: WithTable = True,
    ports: PortKind = "links",
    network_ports: NetworkPorts = None,
    name: ModuleName = MODULE,
) -> None:
    """Print the register map of a switch: what is programmed and read of it over AXI4-Lite.

    [bold]Examples[/]

      tsuji registers switch.toml --format c -o switch.h

      tsuji registers --set switch.ports=7 --set cam.match=ternary --format rdl

      tsuji registers switch.toml --html registers
    """
    from models.register_map import register_map
    from sim.files.output_file import write_output
    from tsuji.registers.export import register_text, write_html

    params = read_switch(config, overrides or [])
    streams = read_streams(ports, network_ports, params, config, overrides or [])
    found = register_map(params, table=table, streams=streams.local_ports(params) if streams else 0)
    if html is not None:
        write_html(found, name, html)
        # PeakRDL's pages load their parts by scripts, which browsers refuse for local files.
        console = Console(stderr=True, highlight=False)
        console.print(f"{html}: to look at it, python -m http.server -d {html}", markup=False, soft_wrap=True)
    if output is not None:
        write_output(output, register_text(found, name, form))
    elif html is None:
        print(register_text(found, name, form), end="")
