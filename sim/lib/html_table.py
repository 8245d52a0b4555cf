"""Small tables in HTML, which notebooks show in place of an object's text."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def html_table(caption: str, rows: Iterable[tuple[str, str, str]]) -> str:
    """Return a table in HTML.

    Parameters
    ----------
    caption : str
        Text above it.
    rows : iterable of (str, str, str)
        Name, value and unit of each row.
    """
    lines = [
        f'<tr><th style="text-align: left">{escape(name)}</th><td style="text-align: right">{escape(value)}</td>'
        f'<td style="text-align: left">{escape(unit)}</td></tr>'
        for name, value, unit in rows
    ]
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>"
