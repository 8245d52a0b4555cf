"""`tsuji run`: one simulation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console

from models.errors import TsujiError
from tsuji.cli.figures import figures_table
from tsuji.cli.network_options import NetworkOptions
from tsuji.cli.option_groups import with_option_groups
from tsuji.cli.output import PICTURES, TABLES, JsonFile, output_file, table_file
from tsuji.cli.power_options import PowerFileOptions
from tsuji.cli.processes import joined, writes
from tsuji.progress import Phases

if TYPE_CHECKING:
    from sim.config import Config
    from sim.engine.processes.processes import Processes
    from sim.measure.utilisation import Utilisation


@dataclass(frozen=True)
class RunFiles(JsonFile):
    """Files of one simulation: --json, --csv and --utilisation."""

    csv: Annotated[Path | None, table_file("of one row")] = None
    utilisation: Annotated[
        Path | None,
        output_file(
            "Write what each link and VC carried in each interval, CSV or Parquet, or draw it (PNG, SVG, PDF).",
            *TABLES,
            *PICTURES,
        ),
    ] = None


@with_option_groups
def run(network: NetworkOptions, files: RunFiles, energy: PowerFileOptions) -> None:
    """Simulate a network and print latency, traffic and cache figures.

    Caches are filled, the network is warmed up, measured and drained. docs/how_to/simulation.md defines every figure.

    [bold]Examples[/]

      tsuji run examples/torus8x8.toml

    Other values, and the result as JSON:

      tsuji run examples/torus8x8.toml --set traffic.load=0.4 --json out.json

      tsuji run examples/mesh2x3.toml --set traffic.pattern=hotspot

    Every link over time, as a heat map; a name in .csv or .parquet writes the numbers:

      tsuji run examples/torus8x8.toml --set measure.utilisation_interval=500 --utilisation links.png

    Power, with links that go to sleep when idle for 1 µs:

      tsuji run examples/torus8x8.toml --power --set power.t_lt_ns=1000

    One network on several machines, under MPI (docs/how_to/clusters.md):

      mpirun -n 4 tsuji run examples/torus8x8.toml
    """
    from sim.config import load
    from sim.measure.result import write_json
    from sim.simulation import simulate

    console = files.console(width=80)
    with Phases(Console(stderr=True)) as phases:
        settings = load(network.config, network.settings, power=energy.asked)
        if files.utilisation and not settings.measure.utilisation_interval:
            raise TsujiError(
                f"--utilisation {files.utilisation}: measure.utilisation_interval = 0 records nothing; say how many "
                "cycles an interval has, such as --set measure.utilisation_interval=1000"
            )
        processes = joined()
        if processes is not None:
            _check(processes, settings, energy.power_file)
        result = simulate(settings, phases.update, energy.power_file, processes)
    if not writes():
        return
    console.print(figures_table(result))
    if files.json:
        write_json(result.document(), files.json)
    if files.csv:
        from sim.measure.table import write_table

        write_table([result], files.csv)
    if files.utilisation and result.utilisation:
        _write_utilisation(result.utilisation, files.utilisation)


def _check(processes: Processes, settings: Config, power_file: Path | None) -> None:
    """Refuse what several processes cannot do, and processes that would simulate different networks."""
    from sim.sweep.program import program_digest

    if power_file is not None:
        raise TsujiError(f"--power-file {power_file}: one process only; start it without mpirun, or leave it out")
    processes.check_same({"source of tsuji": program_digest(), "configuration": settings.document()})


def _write_utilisation(found: Utilisation, path: Path) -> None:
    """Write a table or a picture, by the file's ending."""
    if path.suffix in TABLES:
        found.write(path)
    else:
        from sim.plot.utilisation import plot

        plot(found, path)
