"""docs/results has every id, in full size, and what was tried where the paper's number is not reproduced."""

import re
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


QUOTED = [
    ("cache.fig11", "reduction, 13³ = 2,197 nodes, %", "the reduction is {:.0f} %"),
    ("cache.fig11", "reduction, 31³ = 29,791 nodes, %", "it is still {:.0f} %"),
    ("cache.fig7", "mean gain of 8 kernels, bare, ranks in order, %", "on 64 switches is {:.1f} %"),
    ("cache.fig5", "evicted, 512 inserted, 4 ways, closed form, % of entries", "{:.3f} % of the entries are evicted"),
    ("cache.throughput", "no misses, Mpps, equation 7", "forwards {:,.0f} million packets per second"),
    ("cache.throughput", "10 % misses, Mpps, equation 7", "with 10 % misses, {:.0f}:"),
    ("cache.throughput", "knee with seven busy ports, % misses", "at {:.2f} % with seven"),
    ("cache.throughput", "knee, % misses, equation 7", "the paper's equation says {:.0f} %"),
    ("cache.fig13", "conventional switch at 50 %, W", "draw {:.1f} W in a switch without caches"),
    ("cache.fig13", "switch with caches at 50 %, 1 % misses, W", "and {:.2f} W in one with caches"),
]


def test_why_a_route_cache_says_what_the_table_says():
    table = pd.read_csv(RESULTS / "comparison.csv").set_index(["id", "quantity"])["ours"]
    page = RESULTS.parent / "explanation" / "why_a_route_cache.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    for name, quantity, said in QUOTED:
        assert said.format(float(table[name, quantity])) in text, (name, quantity)


def test_why_a_route_cache_says_what_the_readme_says():
    readme = (RESULTS.parents[1] / "README.md").read_text(encoding="utf-8")
    page = (RESULTS.parent / "explanation" / "why_a_route_cache.md").read_text(encoding="utf-8")
    clocks = [re.search(rf"tsuji, `{name}`[^|]*\|(?:[^|]*\|){{3}} ([\d.]+) \|", readme) for name in ("plain", "cached")]
    added = re.search(r"CAM interface / with route cache \| (\+\d+ %) / (\+\d+ %)", readme)
    assert added
    assert all(clocks)
    for figure in (*added.groups(), *(found[1] for found in clocks if found)):
        assert figure in page, figure
