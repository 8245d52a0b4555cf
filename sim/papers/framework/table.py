"""The comparison table: all quantities of all ids, the paper's value beside ours."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from sim.papers.framework.study import Findings, Row

COLUMNS = ("id", "quantity", "paper", "ours", "ratio", "verdict", "note")


def comparison(findings: Mapping[str, Findings]) -> pd.DataFrame:
    """Return the table of ids and their findings."""
    rows = [_cells(name, row) for name, each in findings.items() for row in each.rows]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _cells(name: str, row: Row) -> list[object]:
    return [name, row.quantity, row.paper, row.ours, row.ratio, row.verdict, row.note]


def number(value: object) -> str:
    """Return a cell as text: numbers of four digits."""
    if value is None or value != value:
        return "–"
    if isinstance(value, float):
        if (value and abs(value) < 1e-3) or abs(value) >= 1e6:
            return f"{value:.3g}"
        return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    return str(value)


def _cell(value: object) -> str:
    return number(value).replace("|", "\\|").replace("\n", " ")


def markdown(table: pd.DataFrame) -> str:
    """Return the table in Markdown."""
    lines = ["| " + " | ".join(table.columns) + " |", "| " + " | ".join("---" for _ in table.columns) + " |"]
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in table.itertuples(index=False)]
    return "\n".join(lines) + "\n"
