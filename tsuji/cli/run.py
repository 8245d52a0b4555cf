"""`tsuji run`: one simulation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.figures import figures_table
from tsuji.cli.output import PICTURES, TABLES, one_of, text_console, writable
from tsuji.cli.power_options import Power, PowerFile
from tsuji.progress import Phases

if TYPE_CHECKING:
    from sim.measure.utilisation import Utilisation

ConfigFile = Annotated[
    Path,
    typer.Argument(
        metavar="CONFIG", help="TOML file; examples/ has some, docs/reference/configuration.md lists every key."
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a key of the configuration, such as traffic.load=0.3."),
]


def run(
    config: ConfigFile,
    overrides: Overrides = None,
    json: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", callback=writable, help="Write configuration and figures as JSON (-: standard output)."
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", callback=writable, help="Write a table of one row: CSV, or Parquet if so named (-: CSV)."
        ),
    ] = None,
    utilisation: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=one_of(*TABLES, *PICTURES),
            help="Write what each link and VC carried in each interval, CSV or Parquet, or draw it (PNG, SVG, PDF).",
        ),
    ] = None,
    power: Power = False,
    power_file: PowerFile = None,
) -> None:
    """Simulate a network and print latency, traffic and cache figures.

    Caches are filled, the network is warmed up, measured and drained. docs/how_to/simulation.md defines every figure.

    [bold]Examples[/]

      tsuji run examples/torus8x8.toml

    Other values, any number of them, and the result as JSON:

      tsuji run examples/torus8x8.toml --set traffic.load=0.4 --json out.json

      tsuji run examples/mesh2x3.toml --set traffic.pattern=hotspot

    Every link over time, as a heat map; a name in .csv or .parquet gives the numbers:

      tsuji run examples/torus8x8.toml --set measure.utilisation_interval=500 --utilisation links.png

    What it draws, its links going to sleep when idle for 1 µs:

      tsuji run examples/torus8x8.toml --power --set power.t_lt_ns=1000
    """
    from sim.config import load
    from sim.measure.result import write_json
    from sim.simulation import simulate

    console = text_console(json, csv, width=80)
    with Phases(Console(stderr=True)) as phases:
        settings = load(config, overrides or [], power=power or power_file is not None)
        if utilisation and not settings.measure.utilisation_interval:
            raise TsujiError(
                f"--utilisation {utilisation}: measure.utilisation_interval = 0 records nothing; say how many cycles "
                "an interval has, such as --set measure.utilisation_interval=1000"
            )
        result = simulate(settings, phases.update, power_file)
    console.print(figures_table(result))
    if json:
        write_json(result.document(), json)
    if csv:
        from sim.measure.table import write_table

        write_table([result], csv)
    if utilisation and result.utilisation:
        _write_utilisation(result.utilisation, utilisation)


def _write_utilisation(found: Utilisation, path: Path) -> None:
    """Write a table or a picture, as the file's name asks."""
    if path.suffix in TABLES:
        found.write(path)
    else:
        from sim.plot.utilisation import plot

        plot(found, path)
