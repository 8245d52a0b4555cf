"""Writes pictures, without a display."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from models.errors import TsujiError
from sim.files.output_file import write_output


def write(figure: Figure, path: Path, **options: Any) -> None:
    """Write a figure, and close it.

    Parameters
    ----------
    figure : Figure
        Made by `pyplot`.
    path : Path
        Picture to write; its suffix is the format; missing folders are created.
    **options
        Arguments of `Figure.savefig`.

    Raises
    ------
    TsujiError
        If it cannot be written.
    """
    drawn = BytesIO()
    try:
        figure.savefig(drawn, format=path.suffix.lstrip(".") or None, **options)
    except ValueError as error:
        raise TsujiError(f"{path}: cannot be written: {error}") from error
    finally:
        plt.close(figure)
    write_output(path, drawn.getvalue())
