"""An HTML page of a network in space over time, in one self-contained file.

three.js, from the Python package jupyter-threejs-sage, draws it. Values are bytes, in steps of 1/255 of the scale,
compressed; a step of the slider only changes colours.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from matplotlib.colors import to_hex
from numpy.typing import ArrayLike, NDArray

from models.errors import TsujiError
from sim.files.output_file import write_output
from sim.plot.axis_start import axis_ticks
from sim.plot.directions import axis_name, port_name
from sim.plot.heat_map import time_unit
from sim.plot.places_3d import link_segments, places_3d
from sim.plot.projection import RADIUS, TILT, TURN, WIDTH
from sim.plot.recorded import Recorded, Values
from sim.plot.scale import Scale
from sim.plot.stills import CROWD, check_size
from sim.plot.view_figures import LEVELS, ViewFigure
from sim.topology.coordinates import CoordinateTopology

LIBRARY = "jupyter_threejs_sage", "static/r130/three.min.js"
PALE, PALE_IN_A_CROWD = 0.8, 0.25  # opacity of the pale end of a scale
DIGITS = 5  # digits of the network's figures
TICKS = 2  # least steps between ticks of the network's axis


def write_page(recorded: Recorded, figures: Sequence[ViewFigure], path: Path) -> None:
    """Write the page.

    Parameters
    ----------
    recorded : Recorded
        Record with the columns of the figures, of links and switches.
    figures : sequence of ViewFigure
        Figures that the page can show; the first is shown first.
    path : Path
        The HTML file.

    Raises
    ------
    TsujiError
        If the network is too large, three.js is not installed, or the file cannot be written.
    """
    check_size(recorded, f"--page {path}")
    folder = files("sim.plot")
    page = Template((folder / "page.html").read_text("utf-8")).substitute(
        title=escape(recorded.title),
        library=_library(),
        data=json.dumps(page_data(recorded, figures), ensure_ascii=False).replace("</", "<\\/"),
        script=(folder / "page.js").read_text("utf-8"),
    )
    write_output(path, page)


def _library() -> str:
    """Return the source of three.js."""
    package, name = LIBRARY
    try:
        return (files(package) / name).read_text("utf-8")
    except ModuleNotFoundError:
        raise TsujiError("--page: needs three.js: pip install 'tsuji[view]', or jupyter-threejs-sage alone") from None


def page_data(recorded: Recorded, figures: Sequence[ViewFigure]) -> dict[str, Any]:
    """Return the data of the page's script."""
    topology, ends = recorded.topology, recorded.ends
    place = places_3d(topology, recorded.planes)
    drawn = link_segments(topology, place, ends["switch"], ends["to_switch"], recorded.planes)
    unit, time = time_unit(float(recorded.end_ns[-1]))
    dimensions = topology.coordinates.shape[1] if isinstance(topology, CoordinateTopology) else 0
    pale = PALE if len(place) < CROWD or not np.ptp(place[:, 2]) else PALE_IN_A_CROWD
    return {
        "place": _base64(place.astype("<f4")),
        "segments": _base64(drawn.ends.astype("<f4")),
        "owner": _base64(drawn.link.astype("<i4")),
        "width": WIDTH,
        "radius": RADIUS,
        "eye": [TURN, TILT],
        "axes": [axis_name(dimension) for dimension in range(dimensions)] if 1 < dimensions <= 3 else [],
        "edges": (recorded.edges_ns / unit).tolist(),
        "time": time,
        "names": _names(recorded),
        "links": {
            "from": ends["switch"].tolist(),
            "to": ends["to_switch"].tolist(),
            "port": [
                port_name(*map(int, way))
                for way in zip(ends["port"], ends["dimension"], ends["direction"], strict=True)
            ],
        },
        "figures": [_figure(recorded, figure, pale) for figure in figures],
    }


def _names(recorded: Recorded) -> list[str]:
    """Return the label of each switch: its number, place, and the ranks on it."""
    here = np.array(recorded.about["topology"]["node_switch"])
    ranks: dict[int, list[int]] = {}
    for rank, node in enumerate(recorded.rank_nodes()):
        ranks.setdefault(int(here[node]), []).append(rank)
    names = []
    for switch, coordinates in enumerate(recorded.about["topology"]["coordinates"]):
        on = ranks.get(switch, [])
        said = f"switch {switch} ({', '.join(map(str, coordinates))})"
        if on:
            shown = ", ".join(map(str, on[:8])) + (", …" if len(on) > 8 else "")
            said += f"\nrank{'s' if len(on) > 1 else ''} {shown}"
        names.append(said)
    return names


def _figure(recorded: Recorded, figure: ViewFigure, pale: float) -> dict[str, Any]:
    """Return a figure: its scale, its colours, its values."""
    links, switches = recorded.links[figure.column], recorded.switches[figure.column]
    scales = {"link": figure.scale(links), "switch": figure.scale(switches)}
    levels = np.hstack((as_levels(links, scales["link"]), as_levels(switches, scales["switch"])))
    shares = np.arange(LEVELS) / (LEVELS - 1)
    whole = switches.sum(axis=1) if figure.summed else links.mean(axis=1)
    return {
        "name": figure.name,
        "title": figure.title,
        "unit": figure.unit,
        "limits": scales,
        "colours": [to_hex(colour) for colour in figure.colour_map(shares)],
        "rgba": _base64(np.rint(255 * figure.colours_of(shares, pale)).astype(np.uint8)),
        "whole": [float(f"{value:.{DIGITS}g}") for value in whole],
        "axis": axis_ticks(whole, TICKS),
        "of": "sum over switches" if figure.summed else "mean of links",
        "packed": base64.b64encode(zlib.compress(levels.tobytes(), 6)).decode(),
    }


def as_levels(values: Values, scale: Scale) -> NDArray[np.uint8]:
    """Return values as bytes: 0 is the low end of a scale, 255 the high one."""
    found: NDArray[np.uint8] = np.rint(scale.shares(values) * (LEVELS - 1)).astype(np.uint8)
    return found


def _base64(values: ArrayLike) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
