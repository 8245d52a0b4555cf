"""Result of a program, schedule or trace: its table, and its files."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich import box
from rich.console import Console
from rich.table import Table

from sim.workload.names import IDEAL, SLOW_DOWN
from tsuji.cli.figures import add_power, number
from tsuji.cli.output import JsonFile, table_file

if TYPE_CHECKING:
    from sim.workload.result import WorkloadResult

LEAST_RATIO = 0.9995  # shown as 1.000
WHY_BELOW = (
    "the ideal network has no contention, but gives every message the latency of the mean distance, or of --ideal; "
    "ranks that are nearer to each other are faster than that"
)


@dataclass(frozen=True)
class RankFiles(JsonFile):
    """Files of the result: --json and --csv."""

    csv: Annotated[Path | None, table_file("with one row per rank")] = None

    def show(self, result: WorkloadResult, console: Console) -> None:
        """Print the result, and write it to the requested files."""
        from sim.files.table_file import write_frame
        from sim.measure.result import write_json

        console.print(result_table(result))
        if len(result.sources) > 1:
            console.print(jobs_table(result))
        if (ratio := result.slow_down) is not None and ratio < LEAST_RATIO:
            warnings.warn(f"{SLOW_DOWN} = {ratio:.3f} is below 1: {WHY_BELOW}", stacklevel=2)
        if self.json:
            write_json(result.document(), self.json)
        if self.csv:
            write_frame(result.frame(), self.csv)


def jobs_table(result: WorkloadResult) -> Table:
    """Return a table with one row per job: its run time, the ratio to the ideal network, and means of its own."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("job", no_wrap=True)
    for name in ("ranks", "run ns", "÷ ideal", "latency ns", "wait ns"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in result.by_job().to_dict("records"):
        table.add_row(
            Path(row["file"]).name,
            f"{row['ranks']:,}",
            number(row["run_time_ns"], 0),
            number(row.get("slow_down"), 3),
            number(row.get("message_latency_ns"), 0),
            number(row["mean_wait_ns"], 0),
        )
    return table


def _add_ratio(table: Table, ratio: float | None) -> None:
    """Add a row for the ratio of a run time to that on the ideal network, if it is known."""
    if ratio is not None:
        table.add_row(SLOW_DOWN, number(ratio, 3), IDEAL)


def result_table(result: WorkloadResult) -> Table:
    """Return the result as a table."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    table.add_row("run time", number(result.run_time_ns, 0), "ns")
    _add_ratio(table, result.slow_down)
    if (region := result.region) is not None:
        table.add_row("region of interest", number(region.run_time_ns, 0), "ns, longest of a rank")
        _add_ratio(table, region.slow_down)
        table.add_row("  messages", f"{region.messages:,}", f"{region.bytes:,} bytes")
    ranks = result.ranks
    for name, values in (
        ("calculating", ranks.compute),
        ("sending, receiving", ranks.overhead),
        ("waiting", ranks.wait),
    ):
        table.add_row(name, number(float(values.mean()), 0), "ns, mean of ranks")
    table.add_row("operations", f"{result.operations:,}", "")
    table.add_row("messages", f"{result.messages:,}", f"{result.bytes:,} bytes")
    if result.message_latency_ns is not None:
        table.add_row("message latency", number(result.message_latency_ns, 0), "ns, mean, to the receiver's node")
    if result.set_up[0]:
        note = f"{result.set_up[1]:,} bytes; they create communicators"
        table.add_row("  of these, set-up", f"{result.set_up[0]:,}", note)
    if result.packets is not None:
        table.add_row("packets", f"{result.packets:,}", f"{result.flit_hops:,} flit-hops")
    if result.links is not None and len(result.links):
        busy = result.links["busy"]
        table.add_row("links in use", f"{100 * busy.mean():.2f}", f"% of capacity; the busiest {100 * busy.max():.2f}")
    if result.power is not None:
        add_power(table, result.power)
    table.add_row("simulated in", number(result.wall_s), "s")
    return table
