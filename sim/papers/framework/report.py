"""The report: figures, comparison table, a Markdown summary and one self-contained HTML page."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt

from models.errors import TsujiError
from sim.files.output_file import write_output
from sim.lib.progress import report
from sim.papers.framework.parts import SECONDS, Parts, commit
from sim.papers.framework.runner import Wanted
from sim.papers.framework.study import Findings, Study
from sim.papers.framework.table import comparison, markdown, number

PAPERS = {
    "A": "Routing-table cache on HPC switches",
    "B": "NsimPower: power of an interconnect with low-power idle",
    "C": "Prediction routers",
    "D": "Dual-plane isomorphic hypercubes",
    "E": "Hyper-crossbar network",
    "beyond": "Beyond the papers",
}


VERDICTS = (
    "Numbers within 10 % of the paper's *agree*. Of changes in %, the ratios are compared, within 5 %: 19 % and 15 % "
    "more are 1.19 and 1.15. The 10 % were chosen before the first comparison, the 5 % when the numbers were known. "
    "A claim *holds* or does not. What is *ours* has no number in the paper, or other conditions than the paper's. "
    "What is *input* follows from the paper's own numbers, and confirms only that ours uses them."
)


@dataclass(frozen=True)
class Report:
    """Output of a run.

    Attributes
    ----------
    table : DataFrame
        The comparison.
    seconds : float
        CPU time of all parts, those kept earlier included.
    older : dict of str to int
        Number of parts of other code, by id.
    failed : list of str
        Messages about ids that are left out.
    """

    table: pd.DataFrame
    seconds: float
    older: dict[str, int]
    failed: list[str]


def write_report(
    wanted: Sequence[Wanted],
    parts: Parts,
    out: Path,
    command: str,
    *,
    redraw: bool = True,
    asked: frozenset[str] | None = None,
) -> Report:
    """Conclude from the parts, and write `figures/`, `comparison.csv`, `comparison.md`, `README.md`, `report.html`.

    Parameters
    ----------
    wanted : sequence of Wanted
        Ids with complete parts, with their options.
    parts : Parts
    out : Path
        Folder.
    command : str
        Command line, shown in the report.
    redraw : bool
        Whether to redraw existing figures.
    asked : frozenset of str or None
        Ids that must be in the report; other ids are left out if rows kept by older code cannot be evaluated. None:
        all.

    Raises
    ------
    TsujiError
        If a part is missing, or a file cannot be written.
    """
    findings: dict[str, Findings] = {}
    pictures: dict[str, bytes] = {}
    older: dict[str, int] = {}
    spent: dict[str, float] = {}
    studies: list[Study] = []
    failed: list[str] = []
    for place, (study, options) in enumerate(wanted):
        report("figures", place, len(wanted))
        todo = study.parts(options)
        tables = parts.tables(study, todo)
        spent[study.id] = sum(float(frame.drop_duplicates("part")[SECONDS].sum()) for frame in tables.values())
        if old := parts.older(study, todo):
            older[study.id] = old
        try:
            concluded = study.conclude(tables)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            if study.id not in older:
                raise
            told = f"{study.id}: its parts, kept by older code, no longer tell ({error!r}); compute it anew"
            if asked is None or study.id in asked:
                raise TsujiError(told) from error
            failed.append(told)
            del older[study.id], spent[study.id]
            continue
        studies.append(study)
        findings[study.id] = concluded
        pictures[study.id] = _draw(study, concluded, out, redraw)
    reduced = [study.id for study, options in wanted if options.quick and study.id in findings]
    table = comparison(findings)
    head = _head(command, sum(spent.values()), reduced, table, older)
    write_output(out / "comparison.csv", table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))
    write_output(out / "comparison.md", "# Papers and ours\n\n" + "\n".join(head) + "\n\n" + markdown(table))
    write_output(out / "README.md", _summary(studies, findings, spent, head))
    write_output(out / "report.html", _page(studies, findings, pictures, spent, head))
    return Report(table, sum(spent.values()), older, failed)


def _draw(study: Study, findings: Findings, out: Path, redraw: bool) -> bytes:
    """Write the figure as SVG, unless it is there and `redraw` is off; return the file's content."""
    file = out / "figures" / study.paper / f"{study.id}.svg"
    if redraw or not file.exists():
        drawn = BytesIO()
        # A date in the file, or random names, would make every run differ.
        with plt.rc_context({"svg.hashsalt": study.id}):
            findings.figure.savefig(drawn, format="svg", metadata={"Date": None})
        write_output(file, drawn.getvalue())
    plt.close(findings.figure)
    return file.read_bytes()


def _head(command: str, seconds: float, reduced: list[str], table: pd.DataFrame, older: dict[str, int]) -> list[str]:
    """Return the header: commit, command, time, verdicts."""
    verdicts = table["verdict"].value_counts()
    lines = [
        f"`{command}`, commit {commit()}; {seconds / 60:.1f} minutes of CPU time for all parts.",
        f"In reduced size: {', '.join(reduced) or 'none'}.",
        "Verdicts: " + ", ".join(f"{count} {name}" for name, count in verdicts.items()) + ".",
    ]
    if older:
        lines.append("Parts computed by older code: " + ", ".join(f"{name} ({n})" for name, n in older.items()) + ".")
    return lines


def _summary(studies: Sequence[Study], findings: dict[str, Findings], spent: dict[str, float], head: list[str]) -> str:
    lines = [
        "# Papers: tables and figures from our own runs",
        "",
        "Written by `tsuji papers run` ([docs/how_to/papers.md](../how_to/papers.md)); do not edit.",
        "",
        *head,
        "",
        VERDICTS,
    ]
    for paper in dict.fromkeys(study.paper for study in studies):
        lines += ["", f"## {paper}. {PAPERS[paper]}"]
        for study in studies:
            if study.paper != paper:
                continue
            one = findings[study.id]
            table = comparison({study.id: one}).drop(columns="id")
            picture = f"figures/{study.paper}/{study.id}.svg"
            lines += ["", f"### {study.id}: {study.title}", "", f"![{study.id}]({picture})", "", one.text, ""]
            lines += [markdown(table), f"{spent[study.id]:.0f} s of CPU time."]
    return "\n".join(lines) + "\n"


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68em; margin: 2em auto; padding: 0 1em; color: #1c2733; }
table { border-collapse: collapse; width: 100%; margin: .8em 0 2em; font-size: 13px; }
th, td { text-align: left; padding: .3em .6em; border-bottom: 1px solid #dde3ea; vertical-align: top; }
.table { overflow-x: auto; } .table table { min-width: 50em; }
th { background: #f2f5f8; } td.n { text-align: right; white-space: nowrap; }
.agrees, .holds { color: #1d7a46; } .differs, .does { color: #b3261e; } .ours, .input { color: #5f6b73; }
img { max-width: 100%; } h2 { border-top: 2px solid #1f6fb4; padding-top: .6em; margin-top: 2em; }
nav { line-height: 2; } nav a { margin-right: .8em; white-space: nowrap; }
code { background: #f2f5f8; padding: 0 .2em; }
h1, h3, p { overflow-wrap: anywhere; }
@media (max-width: 640px) { body { margin: 1em auto; } h1 { font-size: 1.5em; } }
@media print { body { max-width: none; font-size: 11px; } h3 { break-after: avoid; } img { max-height: 10cm; } }
"""


def _page(
    studies: Sequence[Study],
    findings: dict[str, Findings],
    pictures: dict[str, bytes],
    spent: dict[str, float],
    head: list[str],
) -> str:
    """Return the HTML page, with embedded pictures."""
    body = ["<h1>Papers: tables and figures from our own runs</h1>"]
    body += [f"<p>{html.escape(line).replace('`', '')}</p>" for line in head]
    body.append(
        '<nav aria-label="Contents">'
        + " ".join(f'<a href="#{study.id}">{study.id}</a>' for study in studies)
        + "</nav>"
    )
    for paper in dict.fromkeys(study.paper for study in studies):
        body.append(f"<h2>{paper}. {html.escape(PAPERS[paper])}</h2>")
        for study in (each for each in studies if each.paper == paper):
            one = findings[study.id]
            picture = base64.b64encode(pictures[study.id]).decode()
            body.append(f'<h3 id="{study.id}">{study.id}: {html.escape(study.title)}</h3>')
            alt = html.escape(f"Figure {study.id}: {study.title}; the table below has its numbers")
            body.append(f'<img alt="{alt}" src="data:image/svg+xml;base64,{picture}">')
            body.append(f"<p>{html.escape(one.text)}</p>" + _rows(study.id, one))
            body.append(f"<p>{spent[study.id]:.0f} s of CPU time</p>")
    title = "tsuji: papers"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
        f'initial-scale=1"><title>{title}</title><style>{STYLE}</style>'
        f"<body>{''.join(body)}</body></html>\n"
    )


def _rows(name: str, findings: Findings) -> str:
    """Return the table of an id in HTML."""
    heads = "".join(f'<th scope="col">{head}' for head in ("quantity", "paper", "ours", "ratio", "verdict", "note"))
    lines = [f'<div class="table" tabindex="0" role="group" aria-label="Table of {name}"><table><tr>{heads}</tr>']
    for row in findings.rows:
        numbers = "".join(f'<td class="n">{html.escape(number(cell))}' for cell in (row.paper, row.ours, row.ratio))
        verdict = f'<td class="{row.verdict.split()[0]}">{row.verdict}'
        lines.append(f"<tr><td>{html.escape(row.quantity)}{numbers}{verdict}<td>{html.escape(row.note)}</tr>")
    return "\n".join(lines) + "</table></div>"
