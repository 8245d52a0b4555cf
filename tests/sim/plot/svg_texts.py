"""Texts of an SVG picture."""

import re
from pathlib import Path


def svg_texts(path: Path) -> list[str]:
    """Return the texts in the order of the file; the picture is drawn with `svg.fonttype` none."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))
