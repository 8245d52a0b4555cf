"""`python -m cocotb_tests.soak`: RTL against the compiled model, tens of millions of switch cycles."""

from __future__ import annotations

import sys
import time
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import tsuji  # noqa: F401 - its first import refuses other packages under our names
from cocotb_tests.cases.covering.array import covering_cases
from cocotb_tests.cases.large import LARGE
from cocotb_tests.cases.shared import CASES, Case
from cocotb_tests.cases.small import SMALL
from cocotb_tests.soak.exercise import ENOUGH, missed
from cocotb_tests.soak.harness import Soak, soak
from cocotb_tests.soak.record import Piece, add_piece, next_seeds, read_record, total
from models.errors import TsujiError
from models.formats import Counter
from models.params.config_file import read_config, switch_params
from synth.stamp import campaign_line, commit

NAMED = CASES | SMALL | LARGE
OWN = "--set"
LARGE_SHARE = 10
"""Switch-cycles of any other switch for one of a large switch."""
MANY_PORTS = 32
"""Ports from which on a faster program takes longer to compile than it saves."""
COUNTED = {
    "flits out": Counter.FLITS_OUT,
    "dropped": Counter.FLITS_DROPPED,
    "wakes": Counter.LINK_WAKES,
    "bypassed": Counter.BYPASS_FLITS,
}


def main(
    cycles: Annotated[int, typer.Option(help="Switch-cycles, all parameter sets together.", min=1)] = 50_000_000,
    seed: Annotated[int, typer.Option(help="Seed of the first round.")] = 1,
    only: Annotated[
        str,
        typer.Option(help=f"One parameter set: {', '.join(NAMED)}, or one of the covering array: cover 1, ..."),
    ] = "",
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A switch of your own, key by key, as of tsuji verilog."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            help="Add the runs to a file; sets with the fewest cycles there come first, with seeds of their own."
        ),
    ] = None,
    minutes: Annotated[float, typer.Option(help="Time after which no more parameter sets begin.", min=0)] = 1e9,
) -> None:
    """Compare every output of the RTL with the model in every cycle: random traffic, stalls, updates, resets."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    try:
        cases = _chosen(only, given or [])
        runs = list(next_seeds(cases, read_record(record) if record else [], seed))
    except TsujiError as error:
        console.print(f"[bold red]error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        raise typer.Exit(2) from None
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    results = []
    begun = time.perf_counter()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("cycles", total=cycles)
        for (name, own), share in zip(runs, shares(cycles, [name for name, _ in runs]), strict=True):
            if time.perf_counter() - begun > 60 * minutes:
                break
            progress.update(task, description=name)
            optimise = "-O0" if cases[name].params.ports >= MANY_PORTS else "-O1"
            listen = partial(progress.advance, task)
            results.append(soak(name, cases[name], share, own, optimise=optimise, progress=listen))
            if record:
                add_piece(record, Piece(name, own, results[-1].cycles, int(bool(results[-1].mismatch)), commit()))
    console.print(table(results))
    compared = sum(result.cycles for result in results)
    wall = time.perf_counter() - begun
    console.print(f"{compared:,} switch-cycles compared in {wall:.0f} s, builds included; seed {seed}")
    wrong = [result for result in results if result.mismatch]
    for result in wrong:
        console.print(f"[bold red]{result.name}[/], seed {result.seed}: {result.mismatch}", highlight=False)
    if record:
        console.print(total(read_record(record)), highlight=False)
    idle = False
    for result in results:
        counters = missed(cases[result.name].params, result.counts)
        if counters and result.cycles >= ENOUGH:
            idle = True
            console.print(f"[bold red]{result.name}[/], seed {result.seed}: never counted {', '.join(counters)}")
    if not only and not given:
        figures = f"{compared:,} switch-cycles on {len(results)} switches, seed {seed}, {len(wrong)} mismatches"
        print(campaign_line("soak", f"{figures}, {wall / 60:.0f} minutes"))
    sys.exit(bool(wrong) or idle)


def _chosen(only: str, given: list[str]) -> dict[str, Case]:
    """Return the parameter sets to compare."""
    if given:
        if only:
            raise TsujiError(f"--only {only}: not together with --set, which describes a switch of its own")
        params = switch_params(read_config(None, given))
        return {OWN: Case(params, (0,) * len(params.position_bits))}
    cases = NAMED | covering_cases()
    if only and only not in cases:
        allowed = f"{', '.join(NAMED)}, cover 1 to cover {len(covering_cases())}"
        raise TsujiError(f"--only {only}: must be one of {allowed}")
    return {only: cases[only]} if only else cases


def shares(cycles: int, names: list[str]) -> list[int]:
    """Return the switch-cycles of each set; they add up to those of the campaign."""
    parts = [1 if name in LARGE and len(names) > 1 else LARGE_SHARE for name in names]
    ends = [cycles * end // sum(parts) for end in accumulate(parts)]
    return [end - begin for begin, end in pairwise([0, *ends])]


def table(results: list[Soak]) -> Table:
    """Return the summary."""
    summary = Table(title="RTL against model")
    summary.add_column("parameter set")
    for heading in ("cycles", *COUNTED, "mismatches", "RTL M/s", "model M/s", "both M/s"):
        summary.add_column(heading, justify="right")
    for result in results:
        summary.add_row(
            result.name,
            f"{result.cycles:,}",
            *(f"{result.counts[counter]:,}" for counter in COUNTED.values()),
            "[red]1[/]" if result.mismatch else "0",
            *(f"{result.cycles / max(1e-9, seconds) / 1e6:.2f}" for seconds in (result.rtl_s, result.model_s)),
            f"{result.rate / 1e6:.2f}",
        )
    return summary


if __name__ == "__main__":
    typer.run(main)
