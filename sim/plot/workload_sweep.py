"""Plot of a sweep of a program or trace: run time, and ÷ ideal, along one key, one curve per value of the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from sim.plot.latency import COLOURS, MARKERS
from sim.plot.picture import write
from sim.sweep.workload import WorkloadSummary, sort_value
from sim.workload.names import IDEAL, SLOW_DOWN

SCALES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
WIDE = 20.0  # values that differ by more, all above 0, are drawn on a logarithmic axis

Curve = tuple[str, list[str], list[WorkloadSummary]]


def plot(values: Sequence[dict[str, str]], results: Sequence[WorkloadSummary], path: Path, title: str) -> None:
    """Draw a sweep: along the last key with more than one value.

    Parameters
    ----------
    values : sequence of dict
        Settings of each point; at least one point.
    results : sequence of WorkloadSummary
        Results of the points.
    path : Path
        Picture to write; its suffix is the format.
    title : str

    Raises
    ------
    TsujiError
        If it cannot be written.
    """
    along = key_along(values)
    drawn = curves(values, results, along)
    with_slow_down = any("slow_down" in result.figures for result in results)
    figure, panels = plt.subplots(
        1, 2 if with_slow_down else 1, figsize=(10.4 if with_slow_down else 6.4, 4.4), dpi=160, layout="constrained",
        squeeze=False,
    )  # fmt: skip
    unit, name = next(
        (unit, name) for unit, name in SCALES if max(r.figures["run_time_ns"] for r in results) >= unit or unit == 1.0
    )
    _panel(panels[0, 0], drawn, along, "run_time_ns", unit, f"run time, {name}")
    if with_slow_down:
        _panel(panels[0, 1], drawn, along, "slow_down", 1.0, f"{SLOW_DOWN} ({IDEAL.removeprefix('ideal: ')})")
    if len(drawn) > 1:
        panels[0, -1].legend(frameon=False, fontsize=9)
    panels[0, 0].set_title(title, loc="left", fontsize=11)
    write(figure, path)


def key_along(values: Sequence[dict[str, str]]) -> str:
    """Return the last key with more than one value, else the last key."""
    keys = list(values[0])
    return next((key for key in reversed(keys) if len({point[key] for point in values}) > 1), keys[-1])


def curves(values: Sequence[dict[str, str]], results: Sequence[WorkloadSummary], along: str) -> list[Curve]:
    """Return the results by curve, with its name and the values of `along`, in their order."""
    found: dict[str, list[tuple[str, WorkloadSummary]]] = {}
    for point, result in zip(values, results, strict=True):
        name = ", ".join(f"{key} = {value}" for key, value in point.items() if key != along)
        found.setdefault(name, []).append((point[along], result))
    numbers = all(not sort_value(point[along])[0] for point in values)
    if numbers:
        for members in found.values():
            members.sort(key=lambda each: sort_value(each[0]))
    return [(name, [text for text, _ in each], [result for _, result in each]) for name, each in found.items()]


def _panel(axes: Axes, drawn: list[Curve], along: str, figure: str, unit: float, name: str) -> None:
    """Draw one figure of all curves."""
    places = list(dict.fromkeys(text for _, texts, _ in drawn for text in texts))
    numbers = all(not sort_value(text)[0] for text in places)
    for number, (label, texts, members) in enumerate(drawn):
        known = [
            (sort_value(text)[1] if numbers else places.index(text), result.figures[figure] / unit)
            for text, result in zip(texts, members, strict=True)
            if result.figures.get(figure) is not None
        ]
        axes.plot(
            [x for x, _ in known], [y for _, y in known], color=COLOURS[number % len(COLOURS)], linewidth=1.6,
            marker=MARKERS[number % len(MARKERS)], markersize=5, label=label or None, linestyle="-" if numbers else "",
        )  # fmt: skip
    axes.set_ylim(bottom=0)
    if not numbers:
        axes.set_xticks(range(len(places)), places, rotation=20 if max(map(len, places)) > 8 else 0)
        axes.margins(x=0.15)
    else:
        sizes = [sort_value(text)[1] for text in places]
        if min(sizes) > 0 and max(sizes) > WIDE * min(sizes):
            axes.set_xscale("log")
    axes.set_xlabel(along)
    axes.set_ylabel(name)
    axes.grid(color="#dddddd", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
