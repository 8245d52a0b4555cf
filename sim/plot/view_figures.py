"""Figures that colour a view of a result, with their columns and colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.plot.scale import Scale

LEVELS = 256  # steps of a colour scale: a value is a byte in a page


class ViewFigure(NamedTuple):
    """A figure of links and switches over time.

    Attributes
    ----------
    name : str
        Name in `--figure`.
    title : str
        Title in pictures.
    column : str
        Column of the files of the energy account.
    unit : str
        Unit, watts; empty: a share from 0 to 1.
    summed : bool
        Whether the network's value is the sum over its switches; else it is the mean over links.
    fades : int
        Which end of the scale is pale and transparent: 0 the least values, 1 the greatest.
    colours : tuple of str
        Colours from the least to the greatest, in steps of lightness, so that they also differ in grey.
    """

    name: str
    title: str
    column: str
    unit: str
    summed: bool
    fades: int
    colours: tuple[str, ...]

    @property
    def colour_map(self) -> LinearSegmentedColormap:
        """The colours as matplotlib knows them."""
        return LinearSegmentedColormap.from_list(self.name, self.colours, LEVELS)

    def label(self, of: str) -> str:
        """Return the label of a scale of `of`, link or switch."""
        return f"{of}: {self.title}" + (f", {self.unit}" if self.unit else "")

    def colours_of(self, shares: NDArray[np.float64], least: float) -> NDArray[np.float64]:
        """Return the colours [..., 4] of shares of the scale; the pale end has opacity `least`."""
        found: NDArray[np.float64] = self.colour_map(shares)
        found[..., 3] = least + (1 - least) * np.clip(np.abs(self.fades - shares), 0, 1) ** 0.7
        return found

    def text(self, value: float) -> str:
        """Return a value as text."""
        return f"{value:.4g} {self.unit}" if self.unit else f"{100 * value:.1f} %"

    def scale(self, values: NDArray[np.float32]) -> Scale:
        """Return the scale of values: from the least to the greatest for watts, from 0 to the greatest for shares."""
        return Scale.of(values, None if self.unit else 0.0)


FIGURES = {
    figure.name: figure
    for figure in (
        ViewFigure("power", "power", "mean_w", "W", True, 0, ("#d5dbe1", "#f5c64c", "#e8622c", "#9a1327", "#3d0514")),
        ViewFigure(
            "utilisation", "utilisation", "utilisation", "", False, 0,
            ("#d5dbe1", "#8fd0b6", "#2a9193", "#17487a", "#0b1338"),
        ),
        ViewFigure(
            "lpi", "share of time in low-power idle", "lpi_share", "", False, 1,
            ("#3a0d3f", "#9b2566", "#de7b6b", "#e9c9a5", "#d9dee3"),
        ),
    )
}  # fmt: skip


def figures_named(names: Sequence[str]) -> list[ViewFigure]:
    """Return figures by name.

    Raises
    ------
    TsujiError
        If there is no figure of a name.
    """
    for name in names:
        if name not in FIGURES:
            raise TsujiError(f"--figure {name}: must be one of {', '.join(FIGURES)}")
    return [FIGURES[name] for name in names]
