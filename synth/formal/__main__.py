"""`python -m synth.formal`: prove every property, and refute the mutant of each."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import tsuji  # its first import refuses other packages with the same names as ours
from models.errors import TsujiError
from synth import toolchain
from synth.formal.property import Property
from synth.formal.prove import Outcome, prove, refute
from synth.formal.registry import find, properties
from synth.stamp import campaign_line


@dataclass(frozen=True)
class Result:
    """A property with the outcomes of its proof and of its mutant."""

    item: Property
    proof: Outcome
    mutant: Outcome

    @property
    def good(self) -> bool:
        """Whether the property is proved and its mutant refuted."""
        return self.proof.verdict == "proved" and self.mutant.verdict == "refuted"

    def as_json(self) -> dict[str, object]:
        """Return all fields as JSON types."""
        return {
            "name": self.item.name,
            "component": self.item.component,
            "claim": self.item.claim,
            "bound": self.item.bound,
            "verdict": self.proof.verdict,
            "seconds": round(self.proof.seconds, 2),
            "mutant": self.mutant.verdict,
            "mutant_seconds": round(self.mutant.seconds, 2),
        }


def main(
    only: Annotated[str, typer.Option(help="Only properties whose names begin with this.")] = "",
    fast: Annotated[bool, typer.Option(help="Only the properties that `make test` proves.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results to a file.")] = None,
) -> None:
    """Prove the properties of the hardware, and show that each proof notices a fault."""
    console = Console(width=None if sys.stdout.isatty() else 140)
    try:
        chosen = [item for item in properties() if item.name.startswith(only) and (item.fast or not fast)]
        results = _run(chosen or [find(only)], console)
    except TsujiError as error:
        console.print(f"error: {error}", style="bold red", markup=False, highlight=False)
        raise typer.Exit(2) from error
    console.print(table(results))
    for result in results:
        if not result.good:
            console.print(f"{result.item.name}: {_complaint(result)}", markup=False, highlight=False)
    if json_file:
        document = {
            "version": tsuji.__version__,
            "tool": toolchain.sby().version,
            "results": [result.as_json() for result in results],
        }
        json_file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    good = sum(result.good for result in results)
    if not (only or fast):
        seconds = sum(result.proof.seconds + result.mutant.seconds for result in results)
        figures = f"{good} of {len(results)} properties proved and their mutants refuted"
        print(campaign_line("prove", f"{figures}, {seconds / 60:.0f} minutes"))
    sys.exit(good < len(results))


def table(results: Sequence[Result]) -> Table:
    """Return results as a table, one row per property."""
    shown = Table(title="Proofs of the hardware")
    for heading in ("property", "holds for", "verdict", "s", "mutant", "s"):
        shown.add_column(heading, justify="right" if heading == "s" else "left")
    for result in results:
        shown.add_row(
            result.item.name,
            result.item.bound,
            _coloured(result.proof.verdict, "proved"),
            f"{result.proof.seconds:.1f}",
            _coloured(result.mutant.verdict, "refuted"),
            f"{result.mutant.seconds:.1f}",
        )
    total = sum(result.proof.seconds + result.mutant.seconds for result in results)
    shown.caption = f"{sum(result.good for result in results)} of {len(results)} hold; {total:.0f} s"
    return shown


def _run(chosen: Sequence[Property], console: Console) -> list[Result]:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    results = []
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=len(chosen))
        for item in chosen:
            progress.update(task, description=item.name)
            results.append(Result(item, prove(item), refute(item)))
            progress.advance(task)
    return results


def _coloured(verdict: str, wanted: str) -> str:
    return f"[{'green' if verdict == wanted else 'bold red'}]{verdict}[/]"


def _complaint(result: Result) -> str:
    if result.proof.verdict != "proved":
        return f"{result.proof.verdict}, see {result.proof.trace or 'the logs'}"
    return f"its mutant is {result.mutant.verdict} within {result.item.mutant_depth} cycles: the claim is too weak"


if __name__ == "__main__":
    typer.run(main)
