"""Batches of packets and closed loops as a whole: from configuration to figures."""

import json
import re

import numpy as np
import pytest
from rich.console import Console

from models.errors import TsujiError
from models.params.config_file import Table
from sim.config import load, read
from sim.measure.result import Result
from sim.simulation import build, simulate
from tsuji.cli.figures import figures_table

MESH = ["topology.kind=mesh", "topology.radix=[2,3]", "switch.routing=dimension_order", "measure.period=100"]
BATCH = [*MESH, "measure.mode=batch", "measure.batch_size=20"]


def figures(*settings):
    return simulate(load(None, list(settings))).figures


def test_a_batch_of_one_packet_each_way():
    two = ["topology.kind=mesh", "topology.radix=[2,2]", "switch.routing=dimension_order", "measure.period=100"]
    found = figures(*two, "traffic.pattern=neighbour", "measure.mode=batch", "measure.batch_size=1")
    # 3 switches of 2 cycles, 2 links of one, 3 flits behind the head, in at 1.
    assert found.batch.makespan == found.batch.first == found.packet_latency.max == found.zero_load_latency == 12
    assert found.packets == 4
    assert found.accepted_traffic == found.offered_traffic == 4 * 4 / (4 * found.batch.makespan)


@pytest.mark.parametrize("extra", [[], ["traffic.window=2"], ["traffic.window=2", "traffic.reply_size=3"]])
def test_a_batch_is_all_its_packets(extra):
    found = figures(*BATCH, *extra)
    replies = 2 if len(extra) == 2 else 1
    assert (found.packets, found.unfinished, found.dropped) == (6 * 20 * replies, 0, 0)
    assert found.converged
    assert not found.saturated
    batch = found.batch
    assert len(batch.completion) == 6
    assert batch.makespan == max(batch.completion)
    assert batch.first == min(batch.completion)
    assert batch.mean == pytest.approx(np.mean(batch.completion))
    assert found.phases.warmup == found.phases.drain == 0
    assert batch.makespan <= found.phases.measure < batch.makespan + 100 + 3
    flits = 6 * 20 * (4 + 3 * (replies - 1))
    assert sum(found.nodes.sent) == sum(found.nodes.received) == flits
    assert found.accepted_traffic == flits / 6 / batch.makespan


def test_a_batch_begins_in_an_empty_network():
    table = ["topology.radix=[2,2]", "switch.routing=table", "traffic.pattern=neighbour", "link.latency=90"]
    filling = ["traffic.packet_size=64", "measure.fill_periods=1", "measure.fill_load=1", "measure.fill_backlog=100"]
    found = figures(*BATCH, *table, *filling, "measure.batch_size=1")
    assert (found.phases.fill, found.phases.warmup > 0) == (2000, True)
    assert found.packets == sum(found.nodes.sent) / 64 == 4


def test_a_narrower_window_takes_longer():
    spans = [figures(*BATCH, f"traffic.window={window}").batch.makespan for window in (1, 2, 0)]
    assert spans[0] > spans[1] >= spans[2]


def test_nodes_that_send_nothing_are_never_done():
    settings = ["topology.radix=[3,3]", "topology.kind=mesh", "switch.routing=dimension_order", "measure.period=100"]
    batch = figures(*settings, "traffic.pattern=transpose", "measure.mode=batch", "measure.batch_size=3").batch
    assert [node for node, done in enumerate(batch.completion) if done is None] == [0, 4, 8]


def test_the_same_seed_gives_the_same_batch():
    first, same, other = (figures(*BATCH, f"run.seed={seed}").batch for seed in (5, 5, 6))
    assert first == same != other


def test_open_loop_with_replies():
    found = figures(*MESH, "traffic.reply_size=2", "traffic.reply_delay=30", "traffic.load=0.1")
    assert found.converged
    assert found.packets % 2 == 0
    assert found.unfinished == 0
    trip = found.request_latency.mean + 30 + found.reply_latency.mean
    assert found.round_trip.mean == pytest.approx(trip, rel=1e-12)
    assert found.packet_latency.mean == pytest.approx((found.request_latency.mean + found.reply_latency.mean) / 2)
    assert found.offered_traffic == pytest.approx(0.15, rel=0.15)
    assert found.accepted_traffic == pytest.approx(found.offered_traffic, rel=0.1)
    assert found.batch.makespan is None


def test_a_window_keeps_the_network_from_filling():
    settings = [*MESH, "traffic.load=0.9", "traffic.pattern=bit_complement", "topology.radix=[4,2]"]
    free, held = figures(*settings), figures(*settings, "traffic.window=1")
    assert free.saturated
    assert held.saturated
    assert held.network_latency.mean < free.network_latency.mean


def test_results_with_a_batch_are_read_back():
    config = load(None, [*BATCH, "traffic.reply_size=2"])
    result = simulate(config)
    assert Result.from_document(result.document()).figures == result.figures
    assert read(Table(json.loads(json.dumps(config.document())))) == config


def test_the_table_shows_round_trips_and_the_batch(capsys):
    Console(width=80).print(figures_table(simulate(load(None, [*BATCH, "traffic.reply_size=2"]))))
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    for words in ("round trip, request to reply", "batch done", "a node done"):
        assert words in shown


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["measure.mode=batch"], 'mode = "batch": needs batch_size'),
        (["measure.batch_size=5"], 'batch_size = 5: only mode = "batch" uses it'),
        (["traffic.reply_delay=9"], "reply_delay = 9: only reply_size > 0 uses it"),
        (["traffic.reply_size=1", "switch.data_width=8"], "traffic.reply_size = 1: a header takes 2 flits"),
    ],
)
def test_what_has_no_effect_is_refused(settings, message):
    with pytest.raises(TsujiError, match=re.escape(message)):
        build(load(None, settings))
