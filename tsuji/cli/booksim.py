"""`tsuji booksim`: runs a configuration of BookSim2 here, and optionally by BookSim2 itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tsuji.cli.option_groups import with_option_groups
from tsuji.cli.output import JsonFile
from tsuji.progress import Phases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sim.booksim.mapping import Plan
    from sim.booksim.measure import Outcome
    from sim.booksim.router_mapping import RouterPlan
    from sim.booksim.settings import Settings
    from sim.booksim.tally import Spread
    from tsuji.cli.booksim_points import BookSimPoint


@with_option_groups
def booksim(
    config: Annotated[
        Path, typer.Argument(metavar="FILE", help="BookSim2's configuration; examples/booksim/ has some.")
    ],
    files: JsonFile,
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]…", help="Set a key, such as injection_rate=0.3.")
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=RANGE",
            help="Run once per value: `injection_rate=0.05:0.4:0.05`, both ends included, or `injection_rate=0.1,0.2`. "
            "Again for another key: every combination. The engine is loaded once.",
            show_default=False,
        ),
    ] = None,
    peer: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="A BookSim2 executable to run on the same configuration, for comparison."),
    ] = None,
    own_switch: Annotated[
        bool,
        typer.Option(
            "--own-switch", help="Use our default switch instead of BookSim2's stages: latencies agree less closely."
        ),
    ] = False,
    ignore: Annotated[
        str,
        typer.Option(metavar="KEY,…", help="Leave out these keys, so that their defaults hold.", show_default=False),
    ] = "",
    ignore_unknown: Annotated[
        bool, typer.Option("--ignore-unknown", help="Leave out all keys and values that BookSim2 does not have.")
    ] = False,
    specialise: Annotated[
        bool | None,
        typer.Option(
            help="Compile for this very switch: 25 s, once, then 1.6 times as fast or more. "
            "If not said: beside BookSim2, once it has been compiled, and where a run is long enough for it to pay.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run a BookSim2 configuration unchanged and print the figures that BookSim2 prints.

    Topology, VCs, buffers, delays, traffic and the procedure of the measurement are taken from it. What our switch does
    not do is simulated with a model of BookSim2's router, which has no hardware. Unsupported keys and values are
    refused, with their line. docs/how_to/booksim.md lists every key, and how closely both simulators agree.

    [bold]Examples[/]

      tsuji booksim examples/booksim/mesh88.cfg

    Other values, as for BookSim2:

      tsuji booksim examples/booksim/torus88.cfg injection_rate=0.4 sample_period=5000

    Several rates, one row each:

      tsuji booksim examples/booksim/mesh88.cfg --over injection_rate=0.002:0.01:0.002

    Faster, with our switch's own pipeline instead of BookSim2's:

      tsuji booksim examples/booksim/mesh88.cfg --own-switch --specialise

    A file of a derivative of BookSim2, without the keys that BookSim2 does not have:

      tsuji booksim config.txt --ignore-unknown --ignore network_file topology=mesh

    Against BookSim2 itself:

      tsuji booksim examples/booksim/mesh88.cfg --peer ../booksim2/src/booksim
    """
    from models.errors import TsujiError
    from sim.booksim import mapping, parser, settings
    from sim.booksim.measure import measure
    from sim.booksim.peer import run
    from sim.booksim.router_mapping import RouterPlan
    from sim.measure.result import write_json
    from tsuji.cli.booksim_points import booksim_points

    def adapted(plan: Plan | RouterPlan) -> Plan | RouterPlan:
        if specialise and isinstance(plan, RouterPlan):
            raise TsujiError("--specialise: the model of BookSim2's router is compiled once for all; leave it out")
        return plan if specialise is None and not peer else plan.specialising(specialise is not False)

    def read(told: Sequence[str]) -> Settings:
        keys = [key.strip() for key in ignore.split(",") if key.strip()]
        return settings.settings(parser.read(config, told), keys, ignore_unknown)

    errors = Console(stderr=True)
    if over:
        if peer:
            raise TsujiError(f"--peer {peer}: compares one run; leave --over out")
        with Phases(errors) as phases:
            runs = booksim_points(read, overrides or [], over, adapted, own_switch, phases.update)
            points = list(runs)
        _show_points(points, files)
        return
    given = read(overrides or [])
    plan = adapted(mapping.plan(given, own_switch))
    console = files.console(width=80)
    other, failed = None, None
    if peer:
        with errors.status(f"{peer.name} is running; it does not say how far it is"):
            try:
                told = [*(overrides or []), *plan.for_peer, *given.ignored_for_peer()]
                other = run(peer, config, told, plan.nodes)
            except TsujiError as error:
                failed = error  # our figures are useful even if BookSim2 fails
    with Phases(errors) as phases:
        outcome = measure(plan, phases.update)
    console.print(_beside(outcome, other) if other else _alone(outcome))
    _print_speed(console, "tsuji", outcome)
    if peer and other:
        _print_speed(console, peer.name, other)
    for line in _remarks(given, plan):
        console.print(f" {line}", markup=False)
    if files.json:
        document = _document(given, plan, outcome, other)
        write_json(document, files.json)
    if failed:
        raise failed


def _show_points(points: list[BookSimPoint], files: JsonFile) -> None:
    """Print, and write, the figures of several runs."""
    from sim.measure.result import write_json
    from tsuji.cli.booksim_points import points_table

    console = files.console(width=100)
    console.print(points_table(points))
    for line in dict.fromkeys(line for each in points for line in _remarks(each.given, each.plan)):
        console.print(f" {line}", markup=False)
    if files.json:
        documents = [{"values": each.values, **_document(each.given, each.plan, each.outcome, None)} for each in points]
        write_json({"points": documents}, files.json)


def _print_speed(console: Console, name: str, outcome: Outcome) -> None:
    """Print how long a simulator took, and why it gave up if it did."""
    cycles, hops = f"{outcome.cycles:,} cycles", f"{outcome.flit_hops:,} flit-hops"
    console.print(f" {name}: {cycles}, {hops} in {outcome.cpu_s:.2f} s of CPU")
    if outcome.unstable:
        console.print(f" {name}: unstable: {outcome.unstable}", markup=False)


def _remarks(given: Settings, plan: Plan | RouterPlan) -> list[str]:
    """Return what is ignored, what has no effect, and what is simulated in another way than BookSim2 does."""
    return [
        *given.told_of_ignored(),
        *given.beyond_the_classes(),
        *(f"{key} has no effect: {why}" for key, why in given.without_effect().items()),
        *plan.notes,
    ]


def _alone(outcome: Outcome) -> Table:
    """Return our figures."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for column in ("average", "minimum", "maximum"):
        table.add_column(column, justify="right")
    for name, spread in outcome.figures.items():
        table.add_row(name, *_cells(spread))
    return table


def _beside(outcome: Outcome, other: Outcome) -> Table:
    """Return the figures of both, and the ratio ours ÷ BookSim2's."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for column in ("tsuji", "BookSim2", "ratio"):
        table.add_column(column, justify="right")
    for name, ours in outcome.figures.items():
        theirs = other.figures.get(name)
        for row, part in ((f"{name} average", "average"), ("  minimum", "minimum"), ("  maximum", "maximum")):
            values = [getattr(each, part) if each else None for each in (ours, theirs)]
            if part == "average" or values != [None, None]:
                table.add_row(row, *map(_number, values), _ratio(*values))
    speeds = [_speed(each) for each in (outcome, other)]
    table.add_row(
        "Million flit-hops per CPU second", *(_number(each and each / 1e6) for each in speeds), _ratio(*speeds)
    )
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.5g}"


def _cells(spread: Spread) -> tuple[str, ...]:
    return _number(spread.average), _number(spread.minimum), _number(spread.maximum)


def _ratio(ours: float | None, theirs: float | None) -> str:
    return "–" if ours is None or not theirs else f"{ours / theirs:.3f}"


def _speed(outcome: Outcome) -> float | None:
    """Return flit-hops per CPU second."""
    return outcome.flit_hops / outcome.cpu_s if outcome.cpu_s and outcome.flit_hops else None


def _document(given: Settings, plan: Plan | RouterPlan, outcome: Outcome, other: Outcome | None) -> dict[str, Any]:
    """Return configuration and figures as plain values."""
    from dataclasses import asdict
    from importlib.metadata import version

    return {
        "version": version("tsuji"),
        "booksim": {key: each.value for key, each in given.given.items()},
        "ignored": {key: each.value for key, each in given.ignored.items()},
        "notes": list(plan.notes),
        "network": plan.document(),
        "tsuji": asdict(outcome),
        **({"peer": asdict(other)} if other else {}),
    }
