"""Options of commands that simulate: the energy account, and files of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tsuji.cli.output import TABLES, one_of

Power = Annotated[
    bool,
    typer.Option(
        "--power",
        help="Add up the energy of links, switches and table lookups, as [power] says (docs/how_to/power.md).",
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
