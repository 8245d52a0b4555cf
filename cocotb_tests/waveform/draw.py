"""Draws a timing diagram."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from cocotb_tests.waveform.record import BEFORE, Samples, hop
from cocotb_tests.waveform.scenes import IN, OUT

INK, PALE = "#20303c", "#c9d3da"
COLOURS = {"head": "#f2c14e", "body": "#cfe3f5", "tail": "#9cc3e6"}
MARKED = {"passes": "#2e8b57", "confirmed": "#2e8b57", "squashed": "#d1495b"}
HEIGHT = 0.62  # of a row, in units of the row pitch

# Text is kept as text, and the same samples give the same file.
STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "tsuji", "font.family": "sans-serif", "font.size": 9}


def draw(panels: Mapping[str, Samples], path: Path) -> None:
    """Draw panels one below the other, with a common first cycle, into an SVG that also contains the samples.

    Parameters
    ----------
    panels : mapping
        Samples, by title of the panel.
    path : Path
        Picture to write.
    """
    cycles = max(len(row) for samples in panels.values() for row in samples.values())
    heights = [1.4] + [len(samples) + 1.2 for samples in panels.values()]
    with matplotlib.rc_context(STYLE):
        figure, axes = plt.subplots(
            len(heights),
            figsize=(7.4, 0.27 * sum(heights)),
            height_ratios=heights,
            gridspec_kw={"hspace": 0.06, "left": 0.17, "right": 0.99, "top": 0.995, "bottom": 0.01},
        )
        _clock(axes[0], cycles)
        for place, (title, samples) in zip(axes[1:], panels.items(), strict=True):
            _panel(place, title, samples, cycles)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None, "Description": json.dumps(dict(panels))})
        plt.close(figure)


def _blank(axes: Axes, cycles: int, bottom: float) -> None:
    axes.set_xlim(0, cycles)
    axes.set_ylim(bottom, 1.0)
    axes.axis("off")


def _clock(axes: Axes, cycles: int) -> None:
    """Draw the clock, with a rising edge at the beginning of each cycle, and the names of the cycles."""
    _blank(axes, cycles, -0.4)
    x, y = [], []
    for cycle in range(cycles):
        x += [cycle, cycle, cycle + 0.5, cycle + 0.5]
        y += [-0.3, 0.2, 0.2, -0.3]
        after = cycle - BEFORE
        name = "c" if not after else f"c{after:+d}".replace("-", "−")
        axes.text(cycle + 0.5, 0.6, name, ha="center", va="center", color=INK)
    axes.plot([*x, cycles], [*y, -0.3], color=INK, linewidth=1)
    axes.text(-0.1, -0.05, "clk", ha="right", va="center", color=INK)


def _panel(axes: Axes, title: str, samples: Samples, cycles: int) -> None:
    """Draw the hop of one packet."""
    _blank(axes, cycles, -len(samples) - 0.2)
    axes.vlines(range(cycles + 1), *axes.get_ylim(), color=PALE, linewidth=0.6, zorder=0)
    taken = hop(samples)
    axes.text(0.05, 0.45, f"{title}: {taken} cycle{'s' * (taken > 1)} a hop", va="center", weight="bold", color=INK)
    for number, (name, values) in enumerate(samples.items()):
        base = -number - 0.85
        axes.text(-0.1, base + HEIGHT / 2, name, ha="right", va="center", color=INK)
        if name.startswith("link"):
            _flits(axes, values, base)
        else:
            _bit(axes, values, base, MARKED.get(name, INK))
    rows = list(samples)
    start, end = BEFORE + 0.5, BEFORE + taken + 0.5
    top, bottom = (-rows.index(name) - 0.85 for name in (f"link in {IN}", f"link out {OUT}"))
    axes.annotate(
        "",
        (end, bottom + HEIGHT),
        (start, top),
        arrowprops={"arrowstyle": "->", "color": INK, "linewidth": 0.8, "shrinkA": 1, "shrinkB": 1},
    )


def _flits(axes: Axes, kinds: list[str], base: float) -> None:
    """Draw a link: a box for each flit, a line where there is none."""
    empty = [cycle for cycle, kind in enumerate(kinds) if not kind]
    axes.hlines([base] * len(empty), empty, [cycle + 1 for cycle in empty], color=INK, linewidth=1)
    for cycle, kind in enumerate(kinds):
        if kind:
            axes.add_patch(Rectangle((cycle + 0.04, base), 0.92, HEIGHT, facecolor=COLOURS[kind], edgecolor=INK))
            axes.text(cycle + 0.5, base + HEIGHT / 2, kind, ha="center", va="center", color=INK, fontsize=8)


def _bit(axes: Axes, values: list[str], base: float, colour: str) -> None:
    """Draw a one-bit signal."""
    levels = [base + HEIGHT * int(value) for value in (*values, values[-1])]
    axes.step(range(len(levels)), levels, where="post", color=colour, linewidth=1.2)
    if "1" in values:
        axes.fill_between(range(len(levels)), base, levels, step="post", color=colour, alpha=0.18, linewidth=0)
