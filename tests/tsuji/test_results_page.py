"""docs/results has every id, in full size, and what was tried where the paper's number is not reproduced."""

from pathlib import Path

import pandas as pd
from typer.testing import CliRunner

from sim.papers.framework.study import CATALOGUE
from tsuji.cli import command_line

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"


def test_every_id_is_there_in_full_size():
    done = CliRunner().invoke(command_line(), ["papers", "list"], catch_exceptions=False)
    table = pd.read_csv(RESULTS / "comparison.csv")
    for name in table["id"].unique():
        assert f" {name} " in done.output
    assert set(CATALOGUE.studies) == set(table["id"])
    assert "In reduced size: none." in (RESULTS / "README.md").read_text(encoding="utf-8")


def test_what_differs_says_what_was_tried():
    table = pd.read_csv(RESULTS / "comparison.csv")
    away = table[table["verdict"].isin(["differs", "does not hold"])]
    assert len(away) > 10
    for row in away.itertuples():
        assert "Tried" in str(row.note), (row.id, row.quantity)


def test_the_readme_says_what_the_table_says():
    table = pd.read_csv(RESULTS / "comparison.csv")
    count = table["verdict"].value_counts()
    numbers, claims = count["agrees"] + count["differs"], count["holds"] + count["does not hold"]
    readme = " ".join((RESULTS.parents[1] / "README.md").read_text(encoding="utf-8").split())
    assert f"regenerates {table['id'].nunique()} tables and figures" in readme
    assert (
        f"{count['agrees']} of {numbers} numbers agree within 10 %, {count['holds']} of {claims} claims hold" in readme
    )
