"""Result of a program, schedule or trace: its table, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich import box
from rich.console import Console
from rich.table import Table

from tsuji.cli.figures import add_power, number
from tsuji.cli.output import JsonFile, table_file

if TYPE_CHECKING:
    from sim.workload.result import WorkloadResult


@dataclass(frozen=True)
class RankFiles(JsonFile):
    """Files of the result: --json and --csv."""

    csv: Annotated[Path | None, table_file("with one row per rank")] = None

    def show(self, result: WorkloadResult, console: Console) -> None:
        """Print the result, and write it to the requested files."""
        from sim.files.table_file import write_frame
        from sim.measure.result import write_json

        console.print(result_table(result))
        if self.json:
            write_json(result.document(), self.json)
        if self.csv:
            write_frame(result.frame(), self.csv)


def result_table(result: WorkloadResult) -> Table:
    """Return the result as a table."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    table.add_row("run time", number(result.run_time_ns, 0), "ns")
    if result.slow_down is not None:
        table.add_row("slow-down", number(result.slow_down, 3), "of the run time on the ideal network")
    ranks = result.ranks
    for name, values in (
        ("calculating", ranks.compute),
        ("sending, receiving", ranks.overhead),
        ("waiting", ranks.wait),
    ):
        table.add_row(name, number(float(values.mean()), 0), "ns, mean of ranks")
    table.add_row("operations", f"{result.operations:,}", "")
    table.add_row("messages", f"{result.messages:,}", f"{result.bytes:,} bytes")
    if result.packets is not None:
        table.add_row("packets", f"{result.packets:,}", f"{result.flit_hops:,} flit-hops")
    if result.links is not None and len(result.links):
        busy = result.links["busy"]
        table.add_row("links in use", f"{100 * busy.mean():.2f}", f"% of capacity; the busiest {100 * busy.max():.2f}")
    if result.power is not None:
        add_power(table, result.power)
    table.add_row("simulated in", number(result.wall_s), "s")
    return table
