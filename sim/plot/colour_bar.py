"""Legend of colours beside a picture: a bar, or one colour with one value if the quantity is constant."""

from __future__ import annotations

from typing import Any

from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure

from sim.plot.scale import Scale
from sim.plot.view_figures import ViewFigure

PATCH = 5  # height ÷ width of the single colour of a constant


def draw_colour_bar(paper: Figure, beside: Any, figure: ViewFigure, scale: Scale, label: str, **options: Any) -> None:
    """Draw the legend of a scale.

    Parameters
    ----------
    paper : Figure
    beside : Axes, or array of Axes
        What the legend stands beside.
    figure : ViewFigure
        Its colours and unit.
    scale : Scale
    label : str
    **options
        Arguments of `Figure.colorbar`.
    """
    if not scale.constant:
        shown = ScalarMappable(Normalize(scale.low, scale.high), figure.colour_map)
        paper.colorbar(shown, ax=beside, label=label, **options).outline.set_visible(False)
        return
    single = ListedColormap(figure.colour_map(scale.shares([scale.high])))
    options = {"shrink": 0.25, **options, "aspect": PATCH}
    bar = paper.colorbar(ScalarMappable(Normalize(0, 1), single), ax=beside, label=f"{label}\nconstant", **options)
    bar.set_ticks([0.5], labels=[figure.text(scale.high)])
    bar.outline.set_visible(False)
