"""Options for the energy account of a simulation."""

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
            help=r"Account for the energy of links, switches and table lookups, by \[power] (docs/how_to/power.md).",
        ),
    ] = False


@dataclass(frozen=True)
class PowerFileOptions(PowerOptions):
    """The energy account, and a file of it: --power and --power-file."""

    power_file: Annotated[
        Path | None,
        output_file(
            "Write the power of each link, and in a second file of each switch, per chunk of time, CSV or Parquet, "
            "while the simulation runs; implies --power.",
            *TABLES,
        ),
    ] = None

    @property
    def asked(self) -> bool:
        """Whether the energy account is requested."""
        return self.power or self.power_file is not None
