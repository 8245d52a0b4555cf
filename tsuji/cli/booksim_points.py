"""Several BookSim2 runs in one command: one point per combination of values, one row each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.table import Table

from models.errors import TsujiError
from sim.booksim import mapping
from sim.booksim.measure import measure
from sim.engine.payback import expect_runs
from sim.measure.open_loop import Progress
from sim.sweep.axes import combinations, parse

if TYPE_CHECKING:
    from sim.booksim.mapping import Plan
    from sim.booksim.measure import Outcome
    from sim.booksim.router_mapping import RouterPlan
    from sim.booksim.settings import Settings

FIGURES = ("Packet latency", "Network latency", "Accepted packet rate", "Hops")


class BookSimPoint(NamedTuple):
    """A run: the values of the axes, the whole configuration, its plan and its result."""

    values: dict[str, str]
    given: Settings
    plan: Plan | RouterPlan
    outcome: Outcome


def booksim_points(
    read: Callable[[Sequence[str]], Settings],
    overrides: Sequence[str],
    over: Sequence[str],
    adapt: Callable[[Plan | RouterPlan], Plan | RouterPlan],
    own_switch: bool,
    progress: Progress,
) -> Iterator[BookSimPoint]:
    """Check the configurations of all points; then run one after the other, in this process, and yield each.

    Parameters
    ----------
    read : callable
        Reads BookSim2's configuration with assignments `key=value` behind it.
    overrides : sequence of str
        `key=value`, for all points.
    over : sequence of str
        Axes, `key=start:stop:step` or `key=a,b,c`.
    adapt : callable
        Returns a plan as it is to be run.
    own_switch : bool
        Whether our own switch is to be used.
    progress : Progress
        Called as in `measure`.
    """
    planned = []
    for values in combinations([parse(each) for each in over]):
        told = [*overrides, *(f"{key}={value}" for key, value in values.items())]
        given = read(told)
        for key in values.keys() & given.ignored.keys():
            raise TsujiError(f"--over {key}: --ignore and --ignore-unknown leave it out: every run would be the same")
        planned.append((values, given, adapt(mapping.plan(given, own_switch))))
    for done, (values, given, plan) in enumerate(planned, 1):
        expect_runs(len(planned) - done)
        yield BookSimPoint(values, given, plan, measure(plan, progress))


def points_table(points: Sequence[BookSimPoint]) -> Table:
    """Return one row per point: values, averages, and whether BookSim2 would have given up."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in (*points[0].values, *FIGURES):
        table.add_column(name, justify="right")
    table.add_column("")
    for each in points:
        averages = (each.outcome.figures[name].average for name in FIGURES)
        cells = ("–" if average is None else f"{average:.5g}" for average in averages)
        table.add_row(*each.values.values(), *cells, "unstable" if each.outcome.unstable else "")
    return table
