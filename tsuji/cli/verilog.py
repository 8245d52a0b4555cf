"""`tsuji verilog`: a switch's Verilog."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.output import one_of, writable
from tsuji.cli.ports import NetworkPorts, PortKind, WithRegisters, has_registers, read_streams
from tsuji.cli.switch import MODULE, ModuleName, SplitPorts, SwitchFile, SwitchOverrides, WithTable, read_switch


def verilog(
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

    if core is not None and output in (None, STDOUT):
        raise TsujiError(f"--core {core}: names the Verilog file; write that, too, with --output FILE")
    params = read_switch(config, overrides or [])
    streams = read_streams(ports, network_ports, params, config, overrides or [])
    text = verilog_file(
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
    if core is not None and output is not None:
        write_output(core, fusesoc_core(name, os.path.relpath(output, core.parent)))
    console = Console(stderr=True, highlight=False)
    if lint:
        from synth.lint import lint as check

        check(text, name)
        console.print("verilator --lint-only -Wall: no warnings")
    if output not in (None, STDOUT):
        console.print(f"{output}: module {name}, {text.count(chr(10)):,} lines", markup=False)
