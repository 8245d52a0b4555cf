"""Utilisation: flits on links, over the window and over time."""

import numpy as np
import pandas as pd
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.measure.utilisation import UtilisationRecorder, utilisation_figures
from sim.plot.utilisation import plot
from sim.simulation import simulate
from sim.topology.link_capacity import link_capacity
from sim.topology.torus import grid

SETTINGS = ["topology.kind=mesh", "topology.radix=[2,3]", "measure.period=300", "run.seed=5", "traffic.load=0.3"]


@pytest.fixture(scope="module")
def result():
    """A run whose intervals do not divide its periods."""
    return simulate(load(None, [*SETTINGS, "measure.utilisation_interval=250", "measure.measure_periods=11"]))


def test_looking_changes_nothing(result):
    unseen = simulate(load(None, [*SETTINGS, "measure.measure_periods=11"]))
    assert unseen.utilisation is None
    assert unseen.figures._replace(wall_s=0) == result.figures._replace(wall_s=0)


def test_intervals_cover_the_measurement(result):
    found = result.utilisation
    window = result.figures.phases.measure
    assert found.start.tolist() == list(range(0, window, 250))
    assert found.cycles.sum() == window
    assert found.cycles[-1] == window % 250 or found.cycles[-1] == 250
    assert set(found.cycles[:-1]) == {250}


def test_flits_given_to_nodes_are_the_accepted_traffic(result):
    found, figures = result.utilisation, result.figures
    local = found.topology.port_node >= 0
    flits = found.flits.sum(axis=(0, 3))[local].sum()
    accepted = figures.accepted_traffic * figures.phases.measure * found.topology.nodes
    assert flits == pytest.approx(accepted, abs=4 * 40)  # packets that were leaving at its beginning or end


def test_figures_are_those_of_the_intervals(result):
    found, figures = result.utilisation, result.figures.utilisation
    links = found.topology.peer_switch >= 0
    whole = found.flits.sum(axis=(0, 3)) / found.cycles.sum()
    assert figures.mean == pytest.approx(whole[links].mean())
    assert figures.max == pytest.approx(whole[links].max())
    assert figures.port[4] is None
    for port in range(4):
        assert figures.port[port] == pytest.approx(whole[links[:, port], port].mean())
    assert sum(figures.vc) == pytest.approx(figures.mean)
    hops = (result.figures.hops - 1) * result.figures.accepted_traffic * 6 / links.sum()
    assert figures.mean == pytest.approx(hops, rel=0.02)


def test_capacity_is_that_of_slow_links_and_fast_switches():
    topology = grid((2, 2), wrap=False)
    assert (link_capacity(topology, 1) == 1).all()
    assert (link_capacity(topology, 4) == 0.25).all()
    slow = link_capacity(topology, 1, 5)
    assert (slow[topology.peer_switch >= 0] == 0.2).all()
    assert (slow[topology.local_ends] == 1).all()
    flits = np.zeros((4, 5, 2), np.int64)
    flits[0, np.flatnonzero(topology.peer_switch[0] >= 0)[0]] = 10, 15
    found = utilisation_figures(topology, link_capacity(topology, 4), flits, 100)
    assert found.max == 1.0
    assert found.mean == pytest.approx(1 / 8)
    assert found.vc == pytest.approx([10 / 25 / 8, 15 / 25 / 8])


def test_tables_have_a_row_an_interval_link_and_vc(result, tmp_path):
    found = result.utilisation
    for name, read in (("links.csv", pd.read_csv), ("links.parquet", pd.read_parquet)):
        found.write(tmp_path / name)
        table = read(tmp_path / name)
        assert list(table.columns) == [
            "time", "cycles", "switch", "port", "to_switch", "to_node", "vc", "flits", "utilisation"
        ]  # fmt: skip
        assert len(table) == len(found.start) * (14 + 6) * 2
        row = table[(table.time == 250) & (table.switch == 1) & (table.vc == 0) & (table.to_switch == 3)].iloc[0]
        assert row.flits == found.flits[1, 1, int(row.port), 0]
        assert row.utilisation == row.flits / 250
        assert (table.to_switch.isna() != table.to_node.isna()).all()


def test_pictures_are_drawn(result, tmp_path):
    plot(result.utilisation, tmp_path / "deep" / "links.png")
    assert (tmp_path / "deep" / "links.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(TsujiError, match=r"links\.xyz: cannot be written"):
        plot(result.utilisation, tmp_path / "links.xyz")


def test_a_recorder_cuts_at_its_intervals():
    from sim.packets import Delivered

    steps, sent = [], np.zeros((4, 5, 1), np.int64)

    def advance(cycles):
        steps.append(cycles)
        sent[0, 0, 0] += cycles
        return Delivered.none()

    recorder = UtilisationRecorder(sent.copy, 40)
    for cycles in (50, 30, 25):
        recorder.advance(advance, cycles)
    assert steps == [40, 10, 30, 25]
    found = recorder.finish(grid((2, 2), wrap=False), np.ones((4, 5)))
    assert (found.start.tolist(), found.cycles.tolist()) == ([0, 40, 80], [40, 40, 25])
    assert found.flits[:, 0, 0, 0].tolist() == [40, 40, 25]
