"""Options for the energy account of a simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tsuji.cli.output import TABLES, one_of

Power = Annotated[
    bool,
    typer.Option(
        "--power",
        help="Account for the energy of links, switches and table lookups, by section [power] (docs/how_to/power.md).",
    ),
]
PowerFile = Annotated[
    Path | None,
    typer.Option(
        "--power-file",
        metavar="FILE",
        callback=one_of(*TABLES),
        help="Write the power of each link, and beside it of each switch, in each chunk of time, CSV or Parquet, "
        "meanwhile; implies --power.",
    ),
]
