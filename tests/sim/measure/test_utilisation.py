"""Utilisation: flits on links, over the window and over time."""

import numpy as np
import pandas as pd
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.measure.utilisation import UtilisationRecorder, utilisation_figures
from sim.packets import Packets
from sim.plot.utilisation import plot
from sim.simulation import build, simulate
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


def test_busy_cycles_are_divided_as_the_flits_sent():
    """25 flits of which each takes four cycles fill a window of 100; a link that only drains its queue is busy, too."""
    topology = grid((2, 2), wrap=False)
    flits, busy = np.zeros((4, 5, 2), np.int64), np.zeros((4, 5), np.int64)
    port = np.flatnonzero(topology.peer_switch[0] >= 0)[0]
    flits[0, port], busy[0, port] = (10, 15), 100
    found = utilisation_figures(topology, busy, flits, 100)
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

    recorder = UtilisationRecorder(sent.copy, lambda: 2 * sent[:, :, 0], 40)
    for cycles in (50, 30, 25):
        recorder.advance(advance, cycles)
    assert steps == [40, 10, 30, 25]
    found = recorder.finish(grid((2, 2), wrap=False))
    assert (found.start.tolist(), found.cycles.tolist()) == ([0, 40, 80], [40, 40, 25])
    assert found.flits[:, 0, 0, 0].tolist() == [40, 40, 25]
    assert found.busy[:, 0, 0].tolist() == [80, 80, 50]
    assert found.share[:, 0, 0, 0].tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    "slow",
    [
        ["link.interval=3"],
        ["link.interval=5", "switch.stage_delay=4"],
        ["switch.speedup=2", "switch.routing=dimension_order"],
        ["switch.speedup=2", "switch.output_buffer=64", "switch.routing=dimension_order", "switch.depth=16"],
        ["switch.speedup=2", "link.interval=4", "switch.routing=dimension_order", "switch.depth=16"],
    ],
)
def test_a_slow_link_is_never_busier_than_always(slow):
    """Past saturation, with full queues in front of links, whose flits do not count before they are carried."""
    settings = ["topology.kind=torus", "topology.radix=[4,4]", "traffic.load=0.9", "measure.utilisation_interval=7"]
    settings += ["measure.period=300", "measure.warmup_periods=2", "measure.max_warmup_periods=2"]
    settings += ["measure.measure_periods=2", "measure.max_measure_periods=2", "measure.max_drain_periods=1"]
    found = simulate(load(None, [*settings, *slow]))
    share = found.utilisation.share.sum(axis=3)
    assert share.min() >= 0
    assert share.max() <= 1
    assert 0.5 < found.figures.utilisation.max <= 1
    wired = found.utilisation.topology.peer_switch >= 0
    mean = (share * found.utilisation.cycles[:, None, None]).sum(axis=0)[wired].mean() / found.utilisation.cycles.sum()
    assert found.figures.utilisation.mean == pytest.approx(mean)


def test_a_message_on_a_slow_link_takes_its_time():
    """Ten flits on a link of three cycles per flit, one hop: 30 cycles, whatever the queue holds in the meantime."""
    made = load(
        None, ["topology.kind=torus", "topology.radix=[4]", "switch.routing=dimension_order", "link.interval=3"]
    )
    network = build(made)
    network.offer(Packets([0], [0], [1], [10]))
    busy = []
    for _ in range(60):
        network.advance(1)
        busy.append(int(network.busy_cycles()[0, 0]))
    steps = np.diff(busy)
    assert busy[-1] == 30
    assert set(steps) <= {0, 1}
    first = int(np.flatnonzero(steps)[0])
    assert steps[first : first + 29].tolist() == [1] * 29  # without a gap: flits come one per cycle
