"""`tsuji board`: a network on an FPGA board, its bitstream, its run, and its simulation from the UART's pins in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from models.errors import TsujiError
from tsuji.cli.network_options import NetworkOptions
from tsuji.cli.option_groups import with_option_groups
from tsuji.cli.output import JsonFile, folder

if TYPE_CHECKING:
    from tsuji.board.design import Plan

BUILD = "build"


class _BuildByDefault(typer.core.TyperGroup):
    """Subcommands, the first of which may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take arguments that do not begin with a subcommand as those of `build`."""
        if args and args[0] not in self.commands and args[0] not in ("--help",):
            args = [BUILD, *args]
        return super().parse_args(ctx, args)


board = typer.Typer(
    name="board",
    cls=_BuildByDefault,
    help="Put a network on an FPGA board: bitstream, run, simulation. `tsuji board CONFIG` is short for `board build`.",
    no_args_is_help=True,
)

BoardName = Annotated[str, typer.Option("--board", metavar="NAME", help="Board, such as ulx3s_85f.")]
WarmUp = Annotated[int, typer.Option(metavar="CYCLES", min=0, max=1 << 24, help="Cycles before latencies count.")]


@contextmanager
def _told() -> Iterator[Callable[[str], None]]:
    """Show what is being done and for how long; yields a function to call with the next step."""
    console = Console(stderr=True, highlight=False)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("reading the configuration")

        def tell(text: str) -> None:
            progress.reset(task, description=text)
            if not console.is_terminal:
                console.print(text, markup=False)

        yield tell


def _plan(network: NetworkOptions) -> Plan:
    from sim.config import load
    from tsuji.board.design import plan

    return plan(load(network.config, network.settings))


@board.command(name=BUILD)
@with_option_groups
def build_bitstream(
    network: NetworkOptions,
    name: BoardName,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", callback=folder, help="Folder for bitstream and report.")
    ] = Path("build/board"),
    target: Annotated[float, typer.Option("--mhz", min=1, max=200, help="Clock for which nextpnr places.")] = 50.0,
    baud: Annotated[int, typer.Option(min=9600, max=3_000_000, help="Bits per second at that clock.")] = 230_400,
    seed: Annotated[int, typer.Option(min=0, max=(1 << 31) - 1, help="Seed of nextpnr.")] = 1,
) -> None:
    """Make a bitstream: refuse what cannot fit, synthesise, place and route, and set the PLL to the clock that was met.

    [bold]Examples[/]

      tsuji board examples/board/torus4x4.toml --board ulx3s_85f

      tsuji board examples/board/line2.toml --board ulx3s_25f -o build/line2
    """
    import tomlkit

    from synth.boards.bitstream import build
    from synth.boards.boards import board_named
    from synth.boards.estimate import refuse_if_too_large
    from synth.boards.uart import SMALLEST_DIVISOR
    from tsuji.board.design import TOP

    chosen = board_named(name)
    divisor = round(target * 1e6 / baud)
    if divisor < SMALLEST_DIVISOR:
        most = int(target * 1e6 / SMALLEST_DIVISOR)
        raise TsujiError(
            f"--baud {baud}: a bit takes at least {SMALLEST_DIVISOR} cycles, at {target:g} MHz {most} baud"
        )
    with _told() as tell:
        plan = _plan(network)
        parts = refuse_if_too_large(plan.design, chosen, tell)
        output.mkdir(parents=True, exist_ok=True)
        (output / "config.toml").write_text(tomlkit.dumps(without_nothing(plan.config.document())), encoding="utf-8")
        tell("Verilog")
        verilog = plan.verilog(divisor)
        built = build(verilog, TOP, chosen, target, divisor, output, tell, plan.design.digest, seed)
    console = Console(highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("cells", "used", "there"):
        table.add_column(heading, justify="left" if heading == "cells" else "right")
    for kind, (used, there) in built.cells.items():
        table.add_row(kind, f"{used:,}", f"{there:,}")
    console.print(table)
    console.print(f"estimated LUTs: {sum(part.count * part.luts for part in parts):,}")
    console.print(f"clock: {built.clock_mhz:.2f} MHz by the PLL; {built.met_mhz:.2f} MHz met; UART {built.baud:,} baud")
    console.print(f"{output / 'design.bit'}, {output / 'report.json'}, {output / 'config.toml'}", markup=False)


def without_nothing(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without keys of no value, which TOML cannot express."""
    return {
        name: without_nothing(value) if isinstance(value, dict) else value
        for name, value in document.items()
        if value is not None
    }


@board.command()
def flash(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of `tsuji board`.")] = Path("build/board"),
) -> None:
    """Load a bitstream into its board, by openFPGALoader."""
    from synth.boards.boards import board_named
    from synth.toolchain import openfpgaloader

    name, _ = _report(folder)
    done = openfpgaloader().run(["--board", board_named(name).loader, "design.bit"], cwd=folder)
    Console(highlight=False).print(done.stdout, markup=False)


def _report(path: Path) -> tuple[str, int]:
    """Return the name of a bitstream's board and its baud rate, as its report has them."""
    try:
        report = json.loads((path / "report.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TsujiError(f"{path}: holds no bitstream of `tsuji board`: {error}") from error
    match report:
        case {"board": str(name), "baud": int(baud)} if baud > 0:
            return name, baud
    raise TsujiError(f"{path}: report.json lacks board or baud of `tsuji board`; make the bitstream again")


@board.command()
@with_option_groups
def run(
    files: JsonFile,
    port: Annotated[str, typer.Option(metavar="DEV", help="Serial port, such as /dev/ttyUSB0.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of `tsuji board`.")] = Path("build/board"),
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Load, seed: what needs no new bitstream.")
    ] = None,
    warm_up: WarmUp = 10_000,
    cycles: Annotated[int, typer.Option(min=1, max=1 << 31, help="Cycles in which packets are created.")] = 1_000_000,
) -> None:
    """Run the network on a board: program routes, start, and read counters and histograms."""
    from sim.config import load
    from sim.measure.result import write_json
    from tsuji.board.design import plan
    from tsuji.board.device import Device
    from tsuji.board.host import opened
    from tsuji.board.measured import document
    from tsuji.board.measured import run as run_board

    _, baud = _report(folder)
    planned = plan(load(folder / "config.toml", settings or []))
    with _told() as tell, opened(port, baud) as host:
        readings = run_board(Device(host, planned), planned, warm_up, warm_up + cycles, tell)
    found = document(planned, readings)
    _print_figures(files.console(width=80), found)
    if files.json:
        write_json(found, files.json)
    if found["faults"]:
        raise typer.Exit(1)


def _print_figures(console: Console, found: dict[str, Any]) -> None:
    """Print the figures of a run as those of a simulation."""
    from tsuji.cli.figures import number

    latency = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    latency.add_column("latency, cycles")
    names = {"mean": "mean", "p50": "p50", "p90": "p90", "p99": "p99", "p999": "p99.9", "max": "max"}
    for heading in names.values():
        latency.add_column(heading, justify="right")
    latency.add_row("packet (birth to tail out)", *(number(found["packet_latency"][name]) for name in names))
    console.print(latency)
    console.print(f"offered traffic  {found['offered_traffic']:.4f} flits/node/cycle")
    console.print(f"accepted traffic {found['accepted_traffic']:.4f} flits/node/cycle")
    console.print(f"packets measured {found['packets']:,} in {found['cycles']:,} cycles")
    for name, count in found.get("counters", {}).items():
        if count:
            console.print(f"{name:16} {count:,}")
    for fault in found["faults"]:
        console.print(f"fault: {fault}", markup=False)


@board.command()
@with_option_groups
def sim(
    network: NetworkOptions,
    files: JsonFile,
    warm_up: WarmUp = 200,
    cycles: Annotated[int, typer.Option(min=1, max=1 << 20, help="Cycles in which packets are created.")] = 2000,
) -> None:
    """Simulate a board on Verilator from its UART in, and compare it with the simulator.

    Compared are each packet's cycles in and out, and counters and histograms as the host reads them over the UART.

    [bold]Example[/]

      tsuji board sim examples/board/torus4x4.toml
    """
    from sim.measure.result import write_json
    from tsuji.board.compared import compare
    from tsuji.board.measured import document

    with _told() as tell:
        plan = _plan(network)
        found = compare(plan, warm_up, warm_up + cycles, tell)
    console = files.console(width=100)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("compared", "number", "differences"):
        table.add_column(heading, justify="left" if heading == "compared" else "right")
    rows = {
        "packets": found.packets,
        "words of nodes": found.words,
        "histogram bins": found.bins,
        "counters": found.counters,
    }
    for name, (count, wrong) in rows.items():
        table.add_row(name, f"{count:,}", f"{wrong:,}")
    console.print(table)
    for line in found.differences:
        console.print(line, markup=False)
    run_document = document(plan, found.readings)
    _print_figures(console, run_document)
    if files.json:
        write_json(run_document | {"differences": found.different}, files.json)
    console.print(f"differences {found.different}")
    if found.different or run_document["faults"]:
        raise typer.Exit(1)
