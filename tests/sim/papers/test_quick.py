"""Claims of the papers in reduced size: which design wins, the knee, the V of static buffering, exact closed forms.

`tsuji papers run all --quick` computes the same; here are the cheapest ids, with their verdicts and numbers.
"""

from functools import cache

import pytest
from matplotlib import pyplot as plt

from sim.files.shared_folder import shared_folder
from sim.papers.cache_applications import relative_speed
from sim.papers.cache_kernels import KERNELS_256, hits_of_whole_run, trace_lookups
from sim.papers.framework.parts import Parts
from sim.papers.framework.runner import chosen, run
from sim.papers.framework.study import CATALOGUE, Findings, Options
from sim.papers.traces import trace_folder
from tests.shared_files import shared_file

TRACES = shared_folder("traces")
MAY_FAIL = {
    # Claims that do not hold, or differ by more than 10 %, are known, and explained where they are reported.
    "dual.check": {"traffic: greatest difference of metric and simulation, %"},
    "cache.fig6": {"EP, whole run: hits with compulsory misses, one lookup per packet, %"},
    # Close to saturation a wrong prediction takes an output that other packets would have used.
    "predict.fig4": {"latency of cut-through with prediction, of that without, most before saturation"},
    # At the pace of 8×8×8 the links of 4×4×4 are idle long enough for any T_lt.
    "power.fig6": {"run time at T_lt = 0 over that without LPI"},
}


@pytest.fixture(scope="session")
def findings(tmp_path_factory):
    """Return a function that concludes an id in reduced size; parts are kept for the session."""
    parts = Parts(tmp_path_factory.mktemp("parts"))

    @cache
    def concluded(name: str) -> Findings:
        wanted = chosen([name], Options(quick=True, traces=TRACES))
        run(wanted, parts)
        ((study, options),) = wanted
        found = study.conclude(parts.tables(study, study.parts(options)))
        plt.close(found.figure)
        return found

    return concluded


IDS = [
    "cache.table1",
    "cache.fig1",
    "cache.fig11",
    "cache.fig12",
    "cache.fig13",
    "predict.table2",
    "predict.fig2",
    "predict.fig3",
    "dual.fig3",
    "dual.fig5",
    "dual.fig6",
    "dual.fig7",
    "dual.fig8",
    "hxb.fig3",
    "beyond.tori",
]


REST = [
    "cache.fig5",
    "cache.fig6",
    "cache.fig7",
    "cache.fig7.cam",
    "cache.fig7.flow",
    "cache.fig8",
    "cache.fig9",
    "cache.throughput",
    "power.fig5",
    "power.fig6",
    "power.fig7",
    "power.fig8",
    "power.fig9",
    "power.fig10",
    "predict.sim",
    "predict.fig4",
    "dual.fig9",
    "dual.check",
    "hxb.fig2",
    "hxb.combined",
    "beyond.prediction",
    "beyond.wake",
    "beyond.adaptive",
    "beyond.combination",
    "beyond.hints",
    "beyond.onchip",
]
OF_TRACES = ("cache.fig6", "cache.fig7", "cache.fig7.cam", "cache.fig7.flow", "cache.fig8", "cache.fig9")


@pytest.mark.parametrize("name", [*IDS, *(pytest.param(name, marks=pytest.mark.campaign) for name in REST)])
def test_verdicts(findings, name):
    """What the paper claims holds; a number that differs by more than 10 % has a note that explains it."""
    if name in OF_TRACES:
        shared_file("traces", "ops.json")
    if reason := CATALOGUE.studies[name].lacking():
        pytest.skip(reason)
    assert findings(name).rows
    assert len(findings(name).text) > 20
    for row in findings(name).rows:
        assert row.verdict in ("agrees", "differs", "holds", "does not hold", "ours", "input")
        assert row.quantity
        if row.verdict == "does not hold":
            assert row.quantity in MAY_FAIL.get(name, ()), row
        if row.verdict == "differs":
            assert len(row.note) > 60, row


def test_every_id_is_tested():
    """Ids that need hardware are tested in tests/tsuji, and exist only after they are imported."""
    every = {study.id for study, _ in chosen(["all"], Options(quick=True, traces=TRACES))}
    assert {*IDS, *REST} == every - {"hxb.cost", "beyond.lut"}


def ours(findings, name, quantity):
    (value,) = (row.ours for row in findings(name).rows if row.quantity == quantity)
    return value


def test_exact_values(findings):
    assert ours(findings, "predict.table2", "paths over channels, 4-ary 2-mesh") == 640
    assert (
        ours(findings, "predict.table2", "greatest difference of any count, closed form (ours) and enumeration") < 1e-6
    )
    static = "SS with static local ports, over hops, {}, printed formula as the paper"
    for name, share in (("4-ary 2-mesh", 0.4727), ("5-ary 2-torus", 0.3571), ("7-ary 2-torus", 0.4861)):
        assert round(ours(findings, "predict.table2", static.format(name)), 4) == share
    plain = "SS without prediction at local ports, over hops, 32-ary 2-torus"
    assert round(ours(findings, "predict.table2", plain), 3) == 0.827
    assert ours(findings, "dual.fig5", "minimum mean latency, D-HC, n = 8, ns") == 601.0
    assert round(ours(findings, "dual.fig5", "minimum mean latency, D-FHC, n = 12, ns"), 1) == 974.7
    assert ours(findings, "cache.table1", "case 1: miss, ns per switch") == 102
    assert ours(findings, "cache.fig12", "reduction above 9,261 entries") == "flat"


def test_simulated_latency_is_the_closed_form(findings):
    """A small torus with caches that hold all, half and few destinations, and without a cache."""
    rows = [row for row in findings("cache.fig11").rows if "simulated" in row.quantity]
    assert len(rows) == 4
    for row in rows:
        assert row.ratio == pytest.approx(1, abs=0.02), row


def traces():
    """Return the folder of traces as parts name it."""
    shared_file("traces", "ops.json")
    return trace_folder(Options(quick=True, traces=TRACES))


def test_a_faster_switch_does_not_slow_cg():
    """With tables in both switches and ranks in order; with a CAM in one of them it seemed to."""
    (row,) = relative_speed(1, "torus 4×4×4", "CG", 64, traces(), "bare", True, "linear")
    assert row["speed"] >= 1


@pytest.mark.parametrize("kernel", ["IS", "MG"])
def test_hits_of_whole_runs(kernel):
    """One node of four ranks per switch: hits of the benchmark's iterations, compulsory misses included."""
    rows = trace_lookups(kernel, KERNELS_256[kernel], traces(), draws=0)
    (four,) = [row for row in rows if row["ways"] == 4]
    whole, _ = hits_of_whole_run(kernel, 100 * four["hit_packet"], 100 * four["hit_message"])
    assert whole.verdict == "holds", whole


def test_bases_of_distance_alone_raise_the_latency(findings):
    (row,) = [row for row in findings("dual.fig5").rows if row.quantity.startswith("bases of distance alone")]
    assert row.verdict == "holds", row
