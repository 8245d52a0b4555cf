"""`tsuji papers` and `tsuji bases`: output, files and error messages."""

import re

import pandas as pd
import pytest
from typer.testing import CliRunner

from models.errors import TsujiError
from sim.files.shared_folder import VARIABLE
from sim.papers.framework.parts import Parts
from sim.papers.framework.runner import chosen, drop_unknown, without_traces
from sim.papers.framework.study import Options
from sim.topology.bases.search import search
from tsuji.cli import command_line


def tsuji(*arguments):
    """Run a command; return its output."""
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
        "figures/A/cache.table1.svg",
        "figures/C/predict.fig3.svg",
    }
    before = (tmp_path / "data/C/predict.analysis.csv").read_text()
    tsuji("papers", "run", "predict.fig3", "--quick", "--jobs", 1, "--out", tmp_path)
    assert (tmp_path / "data/C/predict.analysis.csv").read_text() == before  # run times included: nothing ran again


def test_the_report_is_of_all_that_is_kept(tmp_path):
    """Parts that cannot be evaluated any more are reported; the id that was asked for is there all the same."""
    tsuji("papers", "run", "cache.table1", "cache.fig13", "--quick", "--jobs", 1, "--out", tmp_path)
    odd = tmp_path / "data" / "E" / "hxb.fig3.csv"
    odd.parent.mkdir()
    odd.write_text("a,b\n1,2\n")
    kept = tmp_path / "data" / "A" / "cache_applications.hops.csv"
    frame = pd.read_csv(kept, dtype=str)
    frame.assign(code="0").rename(columns={"switch": "name"}).to_csv(kept, index=False)
    run = ("papers", "run", "predict.fig3", "--jobs", 1, "--out", tmp_path, "--traces", tmp_path / "nowhere")
    done = CliRunner().invoke(command_line(), list(map(str, run)), catch_exceptions=False)
    assert done.exit_code == 0
    told = pd.read_csv(tmp_path / "comparison.csv")
    assert set(told["id"]) == {"predict.fig3", "cache.fig13"}
    lines = " ".join(done.stderr.split())
    assert "not in the report: cache.table1: its parts, kept by older code, no longer tell" in lines
    assert "not in the report: hxb.fig3:" in lines
    assert "no table of parts" in lines
    assert lines.count("not in the report") == 2
    report = (tmp_path / "README.md").read_text()
    assert "### cache.fig13" in report
    assert "### cache.table1" not in report
    with pytest.raises(TsujiError, match=r"cache\.table1: its parts, kept by older code, no longer tell"):
        tsuji("papers", "run", "cache.table1", "--quick", "--old-code", "--out", tmp_path)
    with pytest.raises(TsujiError, match=r"hxb\.fig3\.csv: no table of parts"):
        tsuji("papers", "run", "hxb.fig3", "--quick", "--out", tmp_path)


def test_all_drops_kept_parts_that_no_id_has(tmp_path):
    tsuji("papers", "run", "cache.table1", "--quick", "--jobs", 1, "--out", tmp_path)
    file = tmp_path / "data" / "A" / "cache_applications.hops.csv"
    frame = pd.read_csv(file, dtype=str)
    pd.concat([frame, frame.assign(part="0" * 16)]).to_csv(file, index=False)
    wanted = chosen(["all"], Options(quick=True, traces=tmp_path))
    drop_unknown(wanted, Parts(tmp_path / "data"))
    assert set(pd.read_csv(file, dtype=str)["part"]) == set(frame["part"])


def test_nothing_kept_is_lost_by_a_run_that_is_refused(tmp_path):
    """Traces that are missing, or others, do not replace kept parts: they give other parts."""
    folder = tmp_path / "data" / "A"
    folder.mkdir(parents=True)
    kept = pd.DataFrame(
        [{"part": "1" * 16, "code": "0", "commit": "0", "seconds": 1, "parameters": '{"folder": "there"}', "rank": 1}]
    )
    files = [folder / name for name in ("cache_applications.speed.csv", "cache_kernels.kernels.csv")]
    for file in files:
        kept.to_csv(file, index=False)
    before = [file.read_bytes() for file in files]
    with pytest.raises(TsujiError, match=r"--traces .*nowhere: no such folder"):
        tsuji("papers", "run", "all", "--traces", tmp_path / "nowhere", "--out", tmp_path)
    drop_unknown(chosen(["all"], Options(quick=False, traces=tmp_path)), Parts(tmp_path / "data"))
    assert [file.read_bytes() for file in files] == before


def test_a_table_of_which_nothing_stays_is_removed(tmp_path):
    """An empty one could not be read again; columns before the data stay even where they are empty."""
    tsuji("papers", "run", "cache.table1", "--quick", "--jobs", 1, "--out", tmp_path)
    file = tmp_path / "data" / "A" / "cache_applications.hops.csv"
    frame = pd.read_csv(file, dtype=str)
    wanted = chosen(["all"], Options(quick=True, traces=tmp_path))
    pd.concat([frame.assign(commit=None), frame.assign(part="0" * 16)]).to_csv(file, index=False)
    drop_unknown(wanted, Parts(tmp_path / "data"))
    assert list(pd.read_csv(file)) == list(frame)
    frame.assign(part="0" * 16).to_csv(file, index=False)
    drop_unknown(wanted, Parts(tmp_path / "data"))
    assert not file.exists()
    tsuji("papers", "run", "cache.table1", "--quick", "--jobs", 1, "--out", tmp_path)
    assert file.exists()


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


OF_TRACES = {"cache.fig6", "cache.fig7", "cache.fig7.cam", "cache.fig7.flow", "cache.fig8", "cache.fig9"}


def test_without_traces_a_group_goes_without_the_ids_that_read_them(tmp_path):
    options = Options(quick=True, traces=tmp_path / "nowhere")
    for names, left_out in ((["all"], OF_TRACES), (["A", "cache.fig7:quick"], OF_TRACES - {"cache.fig7"}), (["B"], ())):
        wanted = chosen(names, options)
        kept, said = without_traces(wanted, names, Parts(tmp_path))
        assert {study.id for study, _ in wanted} - {study.id for study, _ in kept} == set(left_out)
        shown = f"left out: {', '.join(sorted(left_out))}: --traces {options.traces}: no such folder; needed: "
        assert said.startswith(shown) if left_out else not said


def test_without_traces_a_command_says_what_it_leaves_out(tmp_path, monkeypatch):
    def stop(wanted, *_):
        raise TsujiError(" ".join(study.id for study, _ in wanted))

    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr("sim.papers.framework.runner.run", stop)
    done = CliRunner().invoke(command_line(), ["papers", "run", "A", "--quick", "--out", str(tmp_path / "out")])
    lines = " ".join(done.stderr.split())
    for text in (f"left out: {', '.join(sorted(OF_TRACES))}: ", f"set {VARIABLE} or --traces"):
        assert text in lines
    computed = str(done.exception).split()
    assert "cache.fig5" in computed
    assert not OF_TRACES & set(computed)


def test_traces_that_are_not_there_are_refused_where_they_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    why = rf"--traces {tmp_path}/traces: no such folder; needed: traces of the NAS Parallel .*cg\.A\.64\.3it\.tar\.zst"
    with pytest.raises(TsujiError, match=why):
        tsuji("papers", "run", "cache.fig6", "--quick", "--out", tmp_path / "out")
    (tmp_path / "traces").mkdir()
    with pytest.raises(TsujiError, match=rf"--traces {tmp_path}/traces: has no ops\.json; needed: "):
        tsuji("papers", "run", "cache.fig6", "--quick", "--out", tmp_path / "out")


def test_bases_prints_what_was_found():
    printed = tsuji("bases", 4, "--folded")
    best = search(4, folded=True).best
    assert str(list(best.generators)) in printed
    assert re.search(rf"mean distance +{best.mean_distance:.4f}", printed)
    assert "624" in printed  # bases that complete a class of pairs
