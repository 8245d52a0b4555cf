"""`tsuji formats`: ports and layouts of a switch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tsuji.cli.output import writable
from tsuji.cli.ports import NetworkPorts, PortKind, WithRegisters, has_registers, read_streams
from tsuji.cli.switch import MODULE, ModuleName, SplitPorts, SwitchFile, SwitchOverrides, WithTable, read_switch


def formats(
    config: SwitchFile = None,
    overrides: SwitchOverrides = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", callback=writable, help="Output file; standard output by default."
        ),
    ] = None,
    table: WithTable = True,
    name: ModuleName = MODULE,
    split_payloads: SplitPorts = False,
    ports: PortKind = "links",
    network_ports: NetworkPorts = None,
    registers: WithRegisters = None,
) -> None:
    """Print the ports of a switch, the layouts of its words, its rules of credits and reset, and an instance of it.

    The page is Markdown. `tsuji verilog` writes the same into the comment at the head of its file.

    [bold]Examples[/]

      tsuji formats --set switch.ports=7 --set switch.vcs=4

      tsuji formats switch.toml --split-payloads -o switch.md

      tsuji formats examples/torus8x8.toml --ports axi
    """
    from hdl.interface_page import interface_page
    from sim.files.output_file import write_output

    params = read_switch(config, overrides or [])
    streams = read_streams(ports, network_ports, params, config, overrides or [])
    text = interface_page(
        params,
        name,
        table=table,
        split=split_payloads,
        streams=streams,
        registers=has_registers(registers, ports),
    )
    if output is None:
        print(text, end="")
    else:
        write_output(output, text)
