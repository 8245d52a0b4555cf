"""`tsuji papers` and `tsuji bases`: what they print, leave and refuse."""

import re

import pytest
from typer.testing import CliRunner

from models.errors import TsujiError
from sim.papers.runner import chosen
from sim.papers.study import Options
from sim.topology.isomorphic.search import search
from tsuji.cli import command_line


def tsuji(*arguments):
    """Run a command; return what it printed."""
    done = CliRunner().invoke(command_line(), list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_list_has_every_id(tmp_path):
    printed = tsuji("papers", "list")
    for study, _ in chosen(["all"], Options(quick=True, traces=tmp_path)):
        assert study.id in printed


def test_a_run_leaves_data_figures_table_and_report(tmp_path):
    printed = tsuji("papers", "run", "predict.fig3", "cache.table1", "--quick", "--jobs", 1, "--out", tmp_path)
    assert "cache.table1" in printed
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {
        "comparison.csv",
        "comparison.md",
        "README.md",
        "report.html",
        "data/A/cache_applications.hops.csv",
        "data/C/predict.analysis.csv",
        *(f"figures/A/cache.table1.{suffix}" for suffix in ("png", "svg")),
        *(f"figures/C/predict.fig3.{suffix}" for suffix in ("png", "svg")),
    }
    before = (tmp_path / "data/C/predict.analysis.csv").read_text()
    tsuji("papers", "run", "predict.fig3", "--quick", "--jobs", 1, "--out", tmp_path)
    assert (tmp_path / "data/C/predict.analysis.csv").read_text() == before  # seconds included: nothing ran again


def test_refusals(tmp_path):
    with pytest.raises(TsujiError, match=r"predict\.fig9: no id; must be all, A, B"):
        tsuji("papers", "run", "predict.fig9", "--out", tmp_path)
    with pytest.raises(TsujiError, match="jobs = 0"):
        tsuji("papers", "run", "predict.fig3", "--jobs", 0, "--out", tmp_path)
    with pytest.raises(TsujiError, match=r"--traces .*nowhere: no such folder"):
        tsuji("papers", "run", "cache.fig6", "--quick", "--traces", tmp_path / "nowhere", "--out", tmp_path)
    with pytest.raises(TsujiError, match=r"--swf a\.swf: only cache\.fig1 reads logs of jobs"):
        tsuji("papers", "run", "predict.fig3", "--swf", "a.swf", "--out", tmp_path)
    with pytest.raises(TsujiError, match=r"--swf b/a\.swf: two logs of one name"):
        tsuji("papers", "run", "cache.fig1", "--swf", "a.swf", "--swf", "b/a.swf", "--out", tmp_path)
    with pytest.raises(TsujiError, match="dimensions = 13: must be a whole number, 2 to 12"):
        tsuji("bases", 13)
    with pytest.raises(TsujiError, match=r"--seconds 5.0: all bases of 6 dimensions are tried; leave it out"):
        tsuji("bases", 6, "--seconds", 5)
    with pytest.raises(TsujiError, match=r"--seed 2: all bases of 6 dimensions are tried"):
        tsuji("bases", 6, "--cables", "--seed", 2)


def test_bases_prints_what_was_found():
    printed = tsuji("bases", 4, "--folded")
    best = search(4, folded=True).best
    assert str(list(best.generators)) in printed
    assert re.search(rf"mean distance +{best.mean_distance:.4f}", printed)
    assert "624" in printed  # bases that complete a class of pairs
