"""Tables of figures, at most 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from sim.measure.prediction_figures import PredictionFigures
    from sim.measure.result import Result
    from sim.measure.statistics import Summary
    from sim.power.account import PowerFigures
    from sim.sweep.workload import WorkloadSummary


_PHASES = {"fill": "filling caches", "warmup": "warm-up", "measure": "measurement", "drain": "drain"}


def number(value: float | None, digits: int = 2) -> str:
    """Return a number as text for a table; a dash for None."""
    return "–" if value is None else f"{value:,.{digits}f}"


def figures_table(result: Result) -> RenderableType:
    """Return the figures of one simulation."""
    figures = result.figures
    latency = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    latency.add_column("latency, cycles")
    for name in ("mean", "±95 %", "p50", "p90", "p99", "p99.9", "max"):
        latency.add_column(name, justify="right")
    latency.add_row("packet (birth to tail out)", *_summary(figures.packet_latency))
    latency.add_row("network (head in to tail out)", *_summary(figures.network_latency))
    if figures.round_trip.mean is not None:
        latency.add_row("request", *_summary(figures.request_latency))
        latency.add_row("reply", *_summary(figures.reply_latency))
        latency.add_row("round trip, request to reply", *_summary(figures.round_trip))
    for name, each in figures.classes.items():
        latency.add_row(escape(f"packet of class {name}"), *_summary(each.packet_latency))
    if figures.zero_load_latency is not None:
        latency.add_row("packet, in an empty network", number(figures.zero_load_latency))

    rest = _other_figures(result)
    phases = ", ".join(f"{_PHASES[name]} {cycles:,}" for name, cycles in figures.phases._asdict().items() if cycles)
    rest.add_row("cycles", f"{figures.cycles:,}", "")
    rest.add_row("flit hops", f"{figures.flit_hops:,}", _rate(result))
    return Group(latency, rest, f" cycles: {phases}", *([f" {remark(result)}"] if remark(result) else []))


def _other_figures(result: Result) -> Table:
    """Return the figures of one simulation besides latencies and times."""
    figures = result.figures
    rest = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    rest.add_column()
    rest.add_column(justify="right")
    rest.add_column()
    rest.add_row("offered traffic", number(figures.offered_traffic, 4), "flits/node/cycle")
    rest.add_row("accepted traffic", number(figures.accepted_traffic, 4), "flits/node/cycle")
    for name, each in figures.classes.items():
        rest.add_row(escape(f"accepted of class {name}"), number(each.accepted_traffic, 4), "flits/node/cycle")
    rest.add_row("hops", number(figures.hops, 3), "switches, mean")
    if figures.utilisation.mean is not None:
        rest.add_row("links in use", f"{100 * figures.utilisation.mean:.2f}", "% of capacity, mean")
        rest.add_row("the busiest link", f"{100 * (figures.utilisation.max or 0):.2f}", "%")
    if figures.fairness.source_jain is not None:
        rest.add_row("fairness to sources", number(figures.fairness.source_jain, 4), "Jain's index; 1: all alike")
    if figures.cache.hit_rate is not None:
        rest.add_row("cache hit rate", f"{100 * figures.cache.hit_rate:.3f}", "%")
        rest.add_row("cache misses", f"{figures.cache.misses:,}", "in the measured window")
        rest.add_row("cache evictions", f"{figures.cache.evictions:,}", "in the measured window")
    if figures.links.lpi is not None:
        rest.add_row("links in low power", f"{100 * figures.links.lpi:.3f}", "% of the measured window")
        rest.add_row("wakes per link", number(figures.links.wakes, 1), "in the measured window")
    if figures.prediction.success is not None:
        _predicted(rest, figures.prediction)
        rest.add_row("flits on the bypass", f"{100 * (figures.prediction.bypassed_flits or 0):.3f}", "%")
        rest.add_row("heads squashed", f"{figures.prediction.squashed:,}", "in the measured window")
    if figures.batch.makespan is not None:
        rest.add_row("batch done", f"{figures.batch.makespan:,}", "cycles after its birth")
        rest.add_row("a node done", number(figures.batch.mean, 1), "cycles after its birth, mean")
    if figures.power is not None:
        add_power(rest, figures.power)
    rest.add_row("packets measured", f"{figures.packets:,}", "")
    if figures.dropped:
        rest.add_row("packets dropped", f"{figures.dropped:,}", "")
    return rest


def add_power(table: Table, power: PowerFigures) -> None:
    """Add rows of the energy account to a table of three columns."""
    table.add_row("power", number(power.mean_w), f"W, mean; in the chunk with most {number(power.peak_w)}")
    parts = ", ".join(f"{name} {joules:.3g}" for name, joules in power.energy_by_cause_j.items() if joules)
    table.add_row("energy", f"{power.energy_j:.4g}", f"J: {parts}")
    table.add_row("links at low power", f"{100 * power.share_by_state['lpi']:.2f}", "% of their time")
    if power.wakes:
        table.add_row("wakes", f"{power.wakes:,}", f"flits waited {number(power.wake_delay_ns, 0)} ns for them")
    if power.hint_wakes:
        table.add_row("begun by hints", f"{power.hint_wakes:,}", f"{power.hint_wakes_used:,} of them used")


def _predicted(table: Table, figures: PredictionFigures) -> None:
    """Add rows for correct predictions: relative to predictions made, and to all packets."""
    table.add_row("predictions right", f"{100 * (figures.success or 0):.3f}", "% of those made")
    shares = {"all hops": figures.all_hops, "all channels": figures.channels}
    shares |= {f"dimension {number}": share for number, share in enumerate(figures.dimension)}
    for name, share in shares.items():
        if share is not None:
            table.add_row(f"right over {name}", f"{100 * share:.3f}", "%")


def remark(result: Result) -> str:
    """Return a warning about the figures; empty if there is none."""
    figures = result.figures
    if figures.saturated:
        left = f"; {figures.unfinished:,} measured packets had not left" if figures.unfinished else ""
        return f"saturated: latency or backlog grew with time{left}"
    if not figures.converged:
        return "uncertain: it did not settle within measure.max_…_periods, or caches within measure.fill_periods"
    return ""


def point_table(points: Sequence[Mapping[str, str]], figures: Iterable[str]) -> Table:
    """Return an empty table of points: a column for each key that they set, and for each figure.

    Values of more than 12 characters are folded where 80 columns are not enough.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for key in points[0]:
        head = key.rpartition(".")[2]
        longest = max(map(len, (head, *(point[key] for point in points))))
        table.add_column(head, overflow="fold", min_width=min(longest, 12))
    for name in figures:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def sweep_table(values: Sequence[dict[str, str]], results: Sequence[Result]) -> Table:
    """Return a table with one row per point: its settings and main figures."""
    table = point_table(values, ("accepted", "latency", "±95 %", "p99", "network", "hit %"))
    table.add_column("", no_wrap=True)
    for point, result in zip(values, results, strict=True):
        figures = result.figures
        hit = figures.cache.hit_rate
        note = "saturated" if figures.saturated else "" if figures.converged else "uncertain"
        table.add_row(
            *map(escape, point.values()),
            number(figures.accepted_traffic, 4),
            _cycles(figures.packet_latency.mean),
            _cycles(figures.packet_latency.ci95),
            number(figures.packet_latency.p99, 0),
            _cycles(figures.network_latency.mean),
            number(None if hit is None else 100 * hit),
            note,
        )
    return table


def workload_table(values: Sequence[dict[str, str]], results: Sequence[WorkloadSummary]) -> Table:
    """Return a table with one row per point: its settings and run time."""
    names = ("run µs", "÷ ideal", "wait µs", "messages", "links %", "busiest")
    table = point_table(values, names)
    for point, result in zip(values, results, strict=True):
        figures = result.figures
        table.add_row(
            *map(escape, point.values()),
            number(figures["run_time_ns"] / 1000),
            number(figures.get("slow_down"), 3),
            number(figures["mean_wait_ns"] / 1000),
            f"{figures['messages']:,}",
            *(number(_percent(figures.get(name))) for name in ("link_busy_mean", "link_busy_max")),
        )
    return table


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _cycles(value: float | None) -> str:
    """Return a latency as text, with fractions of a cycle only if it is small."""
    return number(value, 2 if value is None or value < 1000 else 0)


def _summary(summary: Summary) -> tuple[str, ...]:
    rest = (summary.p50, summary.p90, summary.p99, summary.p999, summary.max)
    return number(summary.mean), number(summary.ci95), *(number(value, 0) for value in rest)


def _rate(result: Result) -> str:
    figures = result.figures
    rate = figures.flit_hops / figures.wall_s / 1e6 if figures.wall_s else 0.0
    counts = {"threads": figures.threads, "processes": figures.processes}
    by = "".join(f" by {count} {name}" for name, count in counts.items() if count > 1)
    return f"in {figures.wall_s:.2f} s{by}, {rate:.2f} M/s"
