"""Options of commands that simulate: the energy account, and files of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tsuji.cli.option_groups import OptionGroup
from tsuji.cli.output import TABLES, output_file


@dataclass(frozen=True)
class PowerOptions(OptionGroup, panel="Energy"):
    """The energy account: --power."""

    power: Annotated[
        bool,
        typer.Option(
            "--power",
            help=r"Add up the energy of links, switches and table lookups, as \[power] says (docs/how_to/power.md).",
        ),
    ] = False


@dataclass(frozen=True)
class PowerFileOptions(PowerOptions):
    """The energy account, and a file of it: --power and --power-file."""

    power_file: Annotated[
        Path | None,
        output_file(
            "Write the power of each link, and beside it of each switch, in each chunk of time, CSV or Parquet, "
            "meanwhile; implies --power.",
            *TABLES,
        ),
    ] = None

    @property
    def asked(self) -> bool:
        """Whether there is to be an energy account."""
        return self.power or self.power_file is not None
