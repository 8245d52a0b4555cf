"""Groups of options that select the Verilog module of a switch, and the file for what is said of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models.params import SwitchParams
from tsuji.cli.option_groups import OptionGroup
from tsuji.cli.output import writable
from tsuji.cli.ports import NetworkPorts, PortKind, WithRegisters, has_registers, read_streams
from tsuji.cli.switch import MODULE, ModuleName, SplitPorts, SwitchFile, SwitchOverrides, WithTable, read_switch

if TYPE_CHECKING:
    from hdl.bus.streams import Streams
    from hdl.switch_module import SwitchModule


@dataclass(frozen=True, kw_only=True)
class SwitchOptions(OptionGroup, panel="Switch"):
    """A switch and which of its ports are streams."""

    config: SwitchFile = None
    overrides: SwitchOverrides = None
    table: WithTable = True
    name: ModuleName = MODULE
    ports: PortKind = "links"
    network_ports: NetworkPorts = None

    def read(self) -> tuple[SwitchParams, Streams | None]:
        """Return the switch, and which of its ports are streams; errors as of `read_switch` and `read_streams`."""
        settings = self.overrides or []
        params = read_switch(self.config, settings)
        return params, read_streams(self.ports, self.network_ports, params, self.config, settings)


@dataclass(frozen=True, kw_only=True)
class ModuleOptions(SwitchOptions):
    """A switch, and how its module carries what goes in and out."""

    split_payloads: SplitPorts = False
    registers: WithRegisters = None

    def module(self) -> SwitchModule:
        """Return the module; errors as of `read`."""
        from hdl.switch_module import SwitchModule

        params, streams = self.read()
        return SwitchModule(params, self.table, self.split_payloads, streams, has_registers(self.registers, self.ports))


@dataclass(frozen=True, kw_only=True)
class TextFile(OptionGroup, panel="Results"):
    """A file of text: --output."""

    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", callback=writable, help="Output file; standard output by default."
        ),
    ] = None

    def write(self, text: str) -> None:
        """Write a text into the file, or to standard output."""
        from sim.files.output_file import STDOUT, write_output

        write_output(STDOUT if self.output is None else self.output, text)
