"""Framework of the papers' ids: parts are kept by configuration and code, reused, and reported."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from models.errors import TsujiError
from sim.papers.axes import dress, figure, line
from sim.papers.framework.parts import Parts
from sim.papers.framework.report import write_report
from sim.papers.framework.runner import chosen, run, with_kept
from sim.papers.framework.study import (
    CATALOGUE,
    Findings,
    Options,
    Part,
    Study,
    claim,
    compare,
    compare_at,
    echoed,
    found,
    varied,
)
from sim.papers.framework.table import markdown, number

OPTIONS = Options(quick=True, traces=Path("../shared/traces"))
CALLS: list[int] = []


def square(x: int) -> list[dict[str, float]]:
    """Return a row, and record that it was computed."""
    CALLS.append(x)
    if x == 13:
        raise TsujiError("unlucky")
    return [{"x": x, "square": x * x}]


def conclude(tables):
    """Draw it."""
    frame = tables["squares"]
    drawn, (axes,) = figure()
    line(axes, frame["x"], frame["square"], 0, "ours")
    dress(axes, "squares", "x", "x²")
    return Findings([compare("sum", 5.0, float(frame["square"].sum()), "exact")], drawn, "Squares.")


def study(values, name="test.squares"):
    return Study(name, "A", "squares", lambda _: [Part("squares", square, {"x": x}) for x in values], conclude)


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


def code(monkeypatch, text):
    """Replace the code on which parts depend."""
    monkeypatch.setattr("sim.papers.framework.study.code_digest", lambda *_: text)


def test_parts_are_computed_once_and_kept(tmp_path, monkeypatch):
    code(monkeypatch, "c1")
    run([(study([1, 2]), OPTIONS)], Parts(tmp_path))
    assert CALLS == [1, 2]
    told = []
    run([(study([2, 3, 1]), OPTIONS)], Parts(tmp_path), told=lambda *news: told.append(news))
    assert CALLS == [1, 2, 3]
    assert told == [("kept from before", 2, 3), ("test.squares: squares x=3", 3, 3)]
    rows = list(csv.DictReader((tmp_path / "A" / "test_frame.squares.csv").open()))
    assert [json.loads(row["parameters"]) for row in rows] == [{"x": 1}, {"x": 2}, {"x": 3}]
    assert all(row["code"] == "c1" and float(row["seconds"]) >= 0 and row["commit"] for row in rows)


def test_a_failure_keeps_what_was_done(tmp_path, monkeypatch):
    code(monkeypatch, "c1")
    with pytest.raises(TsujiError, match="unlucky"):
        run([(study([1, 13, 2]), OPTIONS)], Parts(tmp_path))
    run([(study([1, 2]), OPTIONS)], Parts(tmp_path))
    assert CALLS == [1, 13, 2]


def test_other_code_computes_anew_unless_old_is_asked_for(tmp_path, monkeypatch):
    code(monkeypatch, "c1")
    run([(study([1]), OPTIONS)], Parts(tmp_path))
    code(monkeypatch, "c2")
    old = Parts(tmp_path, old_code=True)
    run([(study([1]), OPTIONS)], old)
    assert CALLS == [1]
    part = Part("squares", square, {"x": 1})
    assert old.older(study([1]), [part]) == 1
    run([(study([1]), OPTIONS)], Parts(tmp_path))
    assert CALLS == [1, 1]
    assert Parts(tmp_path).older(study([1]), [part]) == 0
    assert len(pd.read_csv(tmp_path / "A" / "test_frame.squares.csv")) == 1


def test_ids_share_the_parts_of_a_module(tmp_path, monkeypatch):
    code(monkeypatch, "c1")
    run([(study([1, 2]), OPTIONS), (study([2, 3], "test.other"), OPTIONS)], Parts(tmp_path))
    assert CALLS == [1, 2, 3]


def test_a_bad_file_is_refused(tmp_path, monkeypatch):
    code(monkeypatch, "c1")
    file = tmp_path / "A" / "test_frame.squares.csv"
    file.parent.mkdir()
    file.write_text("a,b\n1,2\n")
    with pytest.raises(TsujiError, match="no table of parts"):
        run([(study([1]), OPTIONS)], Parts(tmp_path))


def test_the_report(tmp_path, monkeypatch):
    code(monkeypatch, "c1")
    wanted, parts = [(study([1, 2]), OPTIONS)], Parts(tmp_path / "data")
    with pytest.raises(TsujiError, match="not computed"):
        write_report(wanted, parts, tmp_path, "tsuji papers run test")
    run(wanted, parts)
    report = write_report(wanted, parts, tmp_path, "tsuji papers run test")
    assert report.table.iloc[0].tolist()[:6] == ["test.squares", "sum", 5.0, 5.0, 1.0, "agrees"]
    assert report.older == {}
    drawn = (tmp_path / "figures" / "A" / "test.squares.svg").read_text()
    assert "<svg" in drawn
    write_report(wanted, parts, tmp_path, "tsuji papers run test")
    assert (tmp_path / "figures" / "A" / "test.squares.svg").read_text() == drawn
    page = (tmp_path / "report.html").read_text()
    assert "data:image/svg+xml;base64" in page
    assert 'src="http' not in page
    assert "<script src" not in page
    assert '<meta name="viewport" content="width=device-width' in page
    assert 'alt="Figure test.squares: squares;' in page
    for name in ("README.md", "comparison.md"):
        text = (tmp_path / name).read_text()
        assert "`tsuji papers run test`" in text
        assert "In reduced size: test.squares." in text
        assert "| sum | 5 | 5 |" in text
    assert pd.read_csv(tmp_path / "comparison.csv")["verdict"].tolist() == ["agrees"]


def test_verdicts():
    assert [compare("q", 10, ours).verdict for ours in (10, 10.9, 9.1, 11.1, -10)] == [
        "agrees",
        "agrees",
        "agrees",
        "differs",
        "differs",
    ]
    assert compare("q", -4, -4.3).verdict == "agrees"
    assert compare("q", 8, 4).ratio == 0.5
    assert [claim("q", "more", 2, holds).verdict for holds in (True, False)] == ["holds", "does not hold"]
    assert found("q", 3).verdict == "ours"
    assert found("q", 3).ratio is None
    assert compare_at(False, "q", 20, 40).verdict == "ours"
    assert "paper's is 20" in compare_at(False, "q", 20, 40).note
    assert compare_at(True, "q", 20, 40).verdict == "differs"


def test_changes_are_compared_as_ratios():
    """19 % more against 15 % are 1.19 / 1.15 = 1.0348; 25 % less against 35 % are 0.75 / 0.65 = 1.154."""
    more = compare("q", 15, 19, change="more")
    assert (round(more.ratio, 4), more.verdict) == (1.0348, "agrees")
    less = compare("q", 35, 25, change="less")
    assert (round(less.ratio, 3), less.verdict) == (1.154, "differs")
    assert compare("q", 0, 4, change="more").ratio == 1.04
    assert compare_at(True, "q", 40, 35.0884, change="more").ratio == pytest.approx(1.350884 / 1.4)


def test_input_confirms_nothing():
    assert [echoed("q", 40, each).verdict for each in (40, 41, 45)] == ["input", "input", "differs"]
    row = varied("q", 5.2, 3.1, "Cables.")
    assert (row.verdict, row.note) == ("ours", "The paper's is 5.2. Cables.")


def test_numbers_as_text():
    assert [number(value) for value in (None, float("nan"), "≤ 3", 0.00012345, 1234.5678, 12345.6, 2.0, 3)] == [
        "–",
        "–",
        "≤ 3",
        "0.000123",
        "1235",
        "12,346",
        "2",
        "3",
    ]
    assert "a\\|b c" in markdown(pd.DataFrame({"x": ["a|b\nc"]}))


def test_a_report_is_of_what_is_kept_in_its_folder(tmp_path, monkeypatch):
    """An id not asked for is shown in full size if that is there, else in reduced size; others are left out."""
    code(monkeypatch, "c1")
    chosen(["all"], OPTIONS)  # enters all ids, before they are set aside
    other = Part("squares", square, {"x": 3, "of": "test.shared"})

    def sized(name):
        return Study(
            name, "A", name, lambda o: [Part("squares", square, {"x": 1 if o.quick else 2, "of": name})], conclude
        )

    monkeypatch.setattr("tests.sim.papers.framework.test_frame.square", square)
    studies = {name: sized(name) for name in ("test.asked", "test.full", "test.reduced", "test.absent")}
    (shared,) = studies["test.full"].parts(replace(OPTIONS, quick=False))
    studies["test.shared"] = Study(
        "test.shared", "A", "its reduced part is another's full one", lambda o: [shared if o.quick else other], conclude
    )
    monkeypatch.setattr(CATALOGUE, "studies", studies)
    parts = Parts(tmp_path)
    for name, quick in (("test.full", False), ("test.reduced", True)):
        study = studies[name]
        (part,) = study.parts(replace(OPTIONS, quick=quick))
        parts.keep(study, part, [{"x": 1, "square": 1}], 0.0)
    asked = [(studies["test.asked"], OPTIONS)]
    joined, failed = with_kept(asked, parts, OPTIONS)
    assert [(study.id, own.quick) for study, own in joined] == [
        ("test.asked", True),
        ("test.full", False),
        ("test.reduced", True),
    ]
    assert failed == []


def test_rows_of_other_parts_do_not_change_the_types_of_a_table(tmp_path, monkeypatch):
    """A flag that has no value stays a flag."""
    code(monkeypatch, "c1")
    flagged, parts = study([1]), Parts(tmp_path)
    (part,) = flagged.parts(OPTIONS)
    parts.keep(flagged, Part("squares", square, {"x": 9}), [{"x": 9}], 0.0)
    parts.keep(flagged, part, [{"x": 1, "timed": True}, {"x": 2, "timed": False}], 0.0)
    frame = Parts(tmp_path).tables(flagged, [part])["squares"]
    assert frame[~frame["timed"]]["x"].tolist() == [2]


def test_ids_are_chosen_by_name_paper_and_size():
    full = Options(quick=False, traces=OPTIONS.traces)
    every = chosen(["all"], full)
    assert len({study.id for study, _ in every}) == len(every)
    assert {study.paper for study, _ in chosen(["C"], full)} == {"C"}
    sizes = {study.id: options.quick for study, options in chosen(["C", "predict.fig4:quick"], full)}
    assert sizes["predict.fig4"]
    assert not sizes["predict.fig2"]
    with pytest.raises(TsujiError, match=r"predict.fig5: no id"):
        chosen(["predict.fig5"], full)
