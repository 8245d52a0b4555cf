"""Writing pictures: one way for all of them, without a screen."""

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
        Its suffix is the format; folders that are not there are made.
    **options
        Of `Figure.savefig`.

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
