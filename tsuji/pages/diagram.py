"""Block diagrams as SVG: boxes, arrows and words, whose text stays text and whose file is the same every time."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Literal

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

INK, PALE = "#20303c", "#7c8b96"
FILLS = {
    "plain": "#ffffff",
    "store": "#cfe3f5",  # holds flits, routes, tags
    "logic": "#f7f3e3",  # decides within a cycle
    "shared": "#e8ddf2",  # one for all ports
    "good": "#d5ecd9",
    "bad": "#f6d9d9",
    "head": "#f2c14e",  # as in the timing diagrams
    "body": "#cfe3f5",
    "tail": "#9cc3e6",
}
LINE = 15  # pixels between lines of text

_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"
 font-family="Helvetica, Arial, sans-serif" font-size="12" fill="{ink}">
<title>{title}</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 8 4 0 8z" fill="{ink}"/></marker></defs>
<rect width="{width}" height="{height}" fill="#ffffff"/>
"""


class Diagram:
    """A picture that is put together piece by piece; lengths are pixels, from the upper left corner.

    Parameters
    ----------
    title : str
        What it shows, for readers who do not see it.
    width, height : int
        Size.
    """

    def __init__(self, title: str, width: int, height: int) -> None:
        self._head = _HEAD.format(title=escape(title), width=width, height=height, ink=INK)
        self._pieces: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, text: str, fill: str = "plain") -> None:
        """Add a box with lines of text in its middle.

        Parameters
        ----------
        x, y : float
            Upper left corner.
        width, height : float
            Size.
        text : str
            Lines; the first is bold if there are others.
        fill : str
            Name of a colour.
        """
        self._pieces.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" fill="{FILLS[fill]}" stroke="{INK}"/>'
        )
        lines = text.split("\n")
        top = y + height / 2 - LINE * (len(lines) - 1) / 2 + 4
        for number, line in enumerate(lines):
            bold = len(lines) > 1 and number == 0
            self.text(x + width / 2, top + LINE * number, line, "middle", bold=bold)

    def frame(self, x: float, y: float, width: float, height: float, text: str) -> None:
        """Add a dashed frame around what belongs together, with its name inside, above.

        Parameters
        ----------
        x, y : float
            Upper left corner.
        width, height : float
            Size.
        text : str
            Name.
        """
        self._pieces.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="none" stroke="{PALE}" '
            'stroke-dasharray="4 3"/>'
        )
        self.text(x + 8, y + 15, text, pale=True)

    def arrow(self, *points: Point, text: str = "", dashed: bool = False, at: Point | None = None) -> None:
        """Add an arrow along points.

        Parameters
        ----------
        points : (float, float)
            Corners, from its begin to its tip.
        text : str
            What goes along it.
        dashed : bool
            Whether it is control, not data.
        at : (float, float) or None
            Where the text begins; above the begin of the arrow if not given.
        """
        path = " ".join(f"{x},{y}" for x, y in points)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self._pieces.append(f'<polyline points="{path}" fill="none" stroke="{INK}"{dash} marker-end="url(#tip)"/>')
        if text:
            x, y = at or (points[0][0] + 4, points[0][1] - 5)
            self.text(x, y, text, pale=True)

    def text(
        self, x: float, y: float, text: str, anchor: Anchor = "start", *, bold: bool = False, pale: bool = False
    ) -> None:
        """Add a line of text.

        Parameters
        ----------
        x, y : float
            Of its base line, at the anchor.
        text : str
            Words.
        anchor : {"start", "middle", "end"}
            Which end of it is at `x`.
        bold, pale : bool
            How it looks.
        """
        weight = ' font-weight="bold"' if bold else ""
        colour = f' fill="{PALE}"' if pale else ""
        self._pieces.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}"{weight}{colour}>{escape(text)}</text>')

    def row(self, y: float, name: str, cells: Sequence[tuple[str, str]], left: float, step: float) -> None:
        """Add a row of a timing diagram.

        Parameters
        ----------
        y : float
            Upper edge.
        name : str
            What the row is about.
        cells : sequence of (str, str)
            Text and colour of each cycle; an empty text leaves the cycle out.
        left : float
            Left edge of the first cycle.
        step : float
            Width of a cycle.
        """
        self.text(left - 10, y + 18, name, "end")
        for number, (text, fill) in enumerate(cells):
            if text:
                self.box(left + step * number + 2, y, step - 4, 28, text, fill)

    def svg(self) -> str:
        """Return the picture as an SVG file's text."""
        return self._head + "\n".join(self._pieces) + "\n</svg>\n"
