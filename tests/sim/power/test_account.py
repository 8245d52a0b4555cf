"""Energy account, computed by hand: idle, busy and periodic links, wakes, chunks, tables."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from models.errors import TsujiError
from models.formats import Counter
from models.params.config_file import Table
from sim.config import load, read
from sim.packets import Packets
from sim.power.meter import STATES
from sim.power.read import PowerFile
from sim.power.recorder import PowerRecorder
from sim.schedule.job import Job
from sim.schedule.operations import CALC, RECV, SEND
from sim.simulation import build, simulate
from sim.workload.replay import Records, replay
from tests.sim.workload.networks import RING, schedule
from tests.sim.workload.test_network_executor import lone

FLIT = 8  # bytes
T_LT, T_LS, T_LW = 50, 12, 9
SLEEPY = (f"power.t_lt_ns={T_LT}", f"power.t_ls_ns={T_LS}", f"power.t_lw_ns={T_LW}")
CYCLES = [f"{state}_cycles" for state in STATES]


def config(*settings, network=RING):
    return load(None, [*network, "run.specialise=false", *settings], workload=True, power=True)


def account(tmp_path, rows, *settings, chunk=1 << 20, network=RING):
    """Replay the rows of each rank; return the result and the table of links."""
    path = tmp_path / "power.parquet"
    made = config(f"power.chunk_ns={chunk}", *settings, network=network)
    result = replay([Job(schedule(*rows))], made, records=Records(power=path), slow_down=False)
    return result, pd.read_parquet(path)


def ping(messages, period, flits=1, distance=1):
    """Return rows of eight ranks: rank 0 sends to the one at `distance` every `period` cycles; a pause at the end."""
    sender, receiver = [], []
    for number in range(messages):
        sender += [
            (SEND, distance, flits * FLIT, number, [len(sender) - 1] if sender else []),
            (CALC, 0, period, 0, [len(sender)]),
        ]
        receiver.append((RECV, 0, flits * FLIT, number, []))
    rows = [[] for _ in range(8)]
    rows[0], rows[distance] = sender, receiver
    return rows


def states(table, switch, port):
    """Return the cycles of a link in each state, all chunks together."""
    return table[(table["switch"] == switch) & (table["port"] == port)][CYCLES].sum().tolist()


def test_an_idle_link(tmp_path):
    """T_lt active, then T_ls going to sleep, then at low power."""
    result, table = account(tmp_path, ping(1, 1000), *SLEEPY)
    assert states(table, 4, 0) == [T_LT, T_LS, 1000 - T_LT - T_LS, 0, 0]
    link = table[(table["switch"] == 4) & (table["port"] == 0)].iloc[0]
    share = (1000 - T_LT - T_LS) / 1000
    assert link["lpi_share"] == share
    assert link["mean_w"] == pytest.approx(1.02 * (1 - share) + 0.10 * share, rel=1e-12)
    assert link["flits"] == link["wakes"] == link["wake_delay_cycles"] == 0
    assert result.power.duration_ns == result.run_time_ns == 1000


def test_a_fully_busy_link(tmp_path):
    """A link that carries a flit per cycle draws P_act, however short T_lt is."""
    result, table = account(tmp_path, ping(1, 0, flits=2000), *SLEEPY, "power.t_lt_ns=0", chunk=100)
    link = table[(table["switch"] == 0) & (table["port"] == 0)]
    within = link[(link["chunk"] >= 2) & (link["chunk"] < 18)]
    assert len(within) == 16
    assert (within["active_cycles"] == 100).all()
    assert (within["flits"] == 100).all()
    assert (within["utilisation"] == 1).all()
    assert (within["mean_w"] == 1.02).all()
    assert result.power.flits == 2000


@pytest.mark.parametrize("flits", [1, 7])
def test_a_periodic_message(tmp_path, flits):
    """Each message adds a period: the link sends, is idle for T_lt, goes to sleep, sleeps, wakes up."""
    period = 400
    found = []
    for messages in (2, 3):
        result, table = account(tmp_path, ping(messages, period, flits), *SLEEPY)
        found.append(np.array([*states(table, 0, 0), result.power.flits]))
        link = table[(table["switch"] == 0) & (table["port"] == 0)].iloc[0]
        assert link["wakes"] == messages - 1  # it is active from reset on when the first message arrives
        assert link["wake_delay_cycles"] == (messages - 1) * (1 + T_LW)  # a cycle to see the want in LPI, then the wake
        assert found[-1][4] == (messages - 1) * T_LW
        assert found[-1][1] == messages * T_LS
    active = flits + T_LT
    assert (found[1] - found[0]).tolist() == [active, T_LS, period - active - T_LS - T_LW, 0, T_LW, flits]


def test_a_message_that_comes_while_the_link_goes_to_sleep(tmp_path):
    """A want during SLEEP waits for the rest of it, then for the wake: longer than if the link is asleep."""
    for late in range(1, T_LS + 1):  # cycle of the transition in which the want comes
        _, table = account(tmp_path, ping(2, T_LT + late), *SLEEPY)
        link = table[(table["switch"] == 0) & (table["port"] == 0)].iloc[0]
        assert link["wakes"] == 1
        assert link["wake_delay_cycles"] == T_LS - late + 1 + T_LW


@pytest.mark.parametrize("distance", [1, 3])
def test_without_traffic_each_wake_delays_a_lone_message(tmp_path, distance):
    """T_lt = 0: a message that finds all links asleep takes T_lw + 1 cycles longer for each of them."""
    wait = 500
    rows = [[] for _ in range(8)]
    rows[0] = [(CALC, 0, wait, 0, []), (SEND, distance, FLIT, 0, [0])]
    rows[distance] = [(RECV, 0, FLIT, 0, [])]
    off, _ = account(tmp_path, rows, "power.t_lt_ns=off")
    asleep, table = account(tmp_path, rows, *SLEEPY, "power.t_lt_ns=0", "power.node_links=true")
    wakes = distance + 1  # links between switches, and the link to the node
    assert off.ranks.end[distance] == wait + lone(distance + 1, 1)
    assert asleep.ranks.end[distance] - off.ranks.end[distance] == wakes * (T_LW + 1)
    assert table["wakes"].sum() == wakes
    assert table["wake_delay_cycles"].sum() == wakes * (T_LW + 1)
    assert asleep.power.wake_delay_ns == wakes * (T_LW + 1)


def test_never_is_off(tmp_path):
    """A controller that never puts its link to sleep changes nothing."""
    for rows in (ping(3, 300, 5), ping(2, 1000, 200, 4)):
        off, links = account(tmp_path, rows, "power.t_lt_ns=off", chunk=100)
        never, same = account(tmp_path, rows, "power.t_lt_ns=never", chunk=100)
        assert never.power == off.power
        assert (never.ranks.end == off.ranks.end).all()
        pd.testing.assert_frame_equal(links, same)
        assert never.config["lpi"]["idle"] == "never"
        assert "lpi" not in off.config


def test_never_is_off_under_load():
    """With traffic, too: every figure is the same."""
    load_ = ["traffic.load=0.3", "measure.max_measure_periods=10", "measure.period=200", "power.chunk_ns=300"]
    documents = []
    for t_lt in ("off", "never"):
        made = load(None, [*RING, "run.specialise=false", *load_, f"power.t_lt_ns={t_lt}"], power=True)
        document = simulate(made).document()
        document["links"] = document["config"] = document["wall_s"] = None
        documents.append(document)
    assert documents[0] == documents[1]
    assert documents[0]["power"]["share_by_state"]["active"] == 1


def test_chunks_add_up(tmp_path):
    """Over chunks and links every state, flit and wake is there once; what is looked at changes nothing."""
    rows = ping(2, 133, 9, 3)
    whole, table = account(tmp_path, rows, *SLEEPY)
    assert table["wakes"].sum() == 3  # each link of the way sleeps between the messages
    for chunk in (1, 7, 100):
        result, parts = account(tmp_path, rows, *SLEEPY, chunk=chunk)
        assert (result.ranks.end == whole.ranks.end).all()
        summed = ["flits", "wakes", "wake_delay_cycles", *CYCLES]
        assert parts.groupby(["switch", "port"])[summed].sum().equals(table.groupby(["switch", "port"])[summed].sum())
        assert result.power._replace(chunks=1, peak_w=0) == whole.power._replace(chunks=1, peak_w=0)
        assert (parts.groupby("chunk")[CYCLES].sum().sum(axis=1) == 16 * chunk)[:-1].all()
        assert sorted(set(parts["chunk"])) == list(range(result.power.chunks))  # chunks without traffic included
        lengths = parts["end_ns"] - parts["start_ns"]
        weighted = (parts["mean_w"] * lengths).sum() * 1e-9
        assert weighted == pytest.approx(result.power.energy_by_cause_j["links"], rel=1e-12)
        file = PowerFile(tmp_path / "power.parquet")
        power = file.over_time()
        energy = (power["mean_w"] * (power["end_ns"] - power["start_ns"])).sum() * 1e-9
        assert energy == pytest.approx(result.power.energy_j, rel=1e-12)
        assert file.summary == json.loads(json.dumps(result.power._asdict()))
        assert result.power.peak_w == pytest.approx(power["mean_w"][: max(1, len(power) - 1)].max())


def test_the_peak_is_of_any_full_chunk(tmp_path):
    """All links sleep at first; those of a message's way wake up in the third chunk, and sleep in the last."""
    rows = [[] for _ in range(8)]
    rows[0] = [(CALC, 0, 250, 0, []), (SEND, 3, FLIT, 0, [0]), (CALC, 0, 300, 0, [1])]
    rows[3] = [(RECV, 0, FLIT, 0, [])]
    result, table = account(tmp_path, rows, *SLEEPY, "power.t_lt_ns=0", chunk=100)
    by_chunk = table.groupby("chunk")["mean_w"].sum() + 8 * 17.80
    assert by_chunk.idxmax() == 0  # links are active from reset on until they sleep
    asleep = by_chunk.drop(0)
    assert asleep.idxmax() == 2
    assert result.power.peak_w == pytest.approx(by_chunk[0])
    later = PowerFile(tmp_path / "power.parquet").over_time()["mean_w"]
    assert later.tolist() == pytest.approx(by_chunk.tolist())


def test_the_peak_may_be_in_a_later_chunk(tmp_path):
    """The recorder begins when all links sleep, as after a warm-up; chunks begin with it, not with cycle 0."""
    made = load(None, [*RING, "run.specialise=false", *SLEEPY, "power.t_lt_ns=0", "power.chunk_ns=100"], power=True)
    built = build(made)
    built.advance(137)
    path = tmp_path / "p.parquet"
    recorder = PowerRecorder(built, made.switch, made.power, made.document(), path)
    built.offer(Packets([137 + 130], [0], [3], [1]))
    recorder.advance(built.advance, 310)
    recorder.finish(built)
    table = pd.read_parquet(path)
    lengths = (table["end_ns"] - table["start_ns"]).groupby(table["chunk"]).first()
    assert lengths.tolist() == [100, 100, 100, 10]
    by_chunk = table.groupby("chunk")["mean_w"].sum() + 8 * 17.80
    links = len(table) // 4
    assert by_chunk[0] == pytest.approx(8 * 17.80 + 0.10 * links)
    assert by_chunk[1] > by_chunk[0]
    # A chunk that is cut short is no peak.
    assert recorder.figures.peak_w == pytest.approx(by_chunk[:3].max())
    assert recorder.figures.peak_w > by_chunk[0]


CACHED = (
    "topology.radix=[4,2]",
    "cache.entries=4",
    "cache.ways=2",
    "cam.latency=8",
    "cam.occupancy=4",
    "cam.entries=16",
)


@pytest.mark.parametrize("network", [RING, CACHED])
def test_the_account_is_that_of_the_counters(tmp_path, network):
    """Sums over chunks are the counters of the network since reset."""
    sleepy = [*SLEEPY, "power.chunk_ns=33", "power.node_links=true"]
    made = load(None, [*network, "run.specialise=false", *sleepy], power=True)
    built = build(made)
    recorder = PowerRecorder(built, made.switch, made.power, made.document(), tmp_path / "p.parquet")
    rng = np.random.default_rng(3)
    birth = np.sort(rng.integers(0, 3000, 60))
    source = rng.integers(0, 8, 60)
    built.offer(Packets(birth, source, (source + rng.integers(1, 8, 60)) % 8, rng.integers(1, 5, 60)))
    recorder.advance(built.advance, 5000)
    recorder.finish(built)
    counted = built.counters()
    table = pd.read_parquet(tmp_path / "p.parquet")
    total = table.groupby(["switch", "port"])[[*CYCLES, "wakes"]].sum()
    for (switch, port), row in total.iterrows():
        assert row.tolist() == counted[switch, port, Counter.LINK_ACT : Counter.LINK_WAKES + 1].tolist()
    sent = built.flits_sent().sum(axis=2)
    flits = table.groupby(["switch", "port"])["flits"].sum()
    assert all(sent[key] == value for key, value in flits.items())
    found, events = recorder.figures, counted.sum(axis=(0, 1))
    assert found.flits == sent.sum()
    assert found.packets == 60
    assert found.cache_lookups == events[Counter.CACHE_HITS] + events[Counter.CACHE_MISSES]
    assert found.cam_lookups == events[Counter.CAM_REQUESTS]
    assert (found.cam_lookups > 0) == (network is CACHED)
    assert sum(found.share_by_state.values()) == pytest.approx(1)
    assert (total[CYCLES].sum(axis=1) == 5000).all()


def test_a_chunk_is_taken_once(tmp_path):
    """Programs stop the network at any cycle, and so several times at the end of a chunk."""
    made = load(None, [*RING, "run.specialise=false", "power.chunk_ns=10"], power=True)
    built = build(made)
    recorder = PowerRecorder(built, made.switch, made.power, made.document(), tmp_path / "p.parquet")
    for cycles in (0, 4, 6, 0, 0, 10, 0, 3):
        built.advance(cycles)
        recorder.look(built)
        recorder.look(built)
    recorder.finish(built)
    assert recorder.figures.chunks == 3
    table = pd.read_parquet(tmp_path / "p.parquet")
    assert (table["end_ns"] - table["start_ns"]).drop_duplicates().tolist() == [10, 3]
    assert (table["mean_w"] == 1.02).all()


def test_lookups_of_paper_a():
    """Equation 5: dynamic energy of caches and CAM by their counters, static power of all caches and the CAM."""
    settings = ["topology.radix=[4,4]", "traffic.load=0.2", "measure.period=500", "measure.max_measure_periods=10"]
    made = load(None, [*settings, "cache.entries=8", "run.specialise=false", "power.cycle_ns=2"], power=True)
    found = simulate(made).figures
    power = found.power
    seconds = power.duration_ns * 1e-9
    lookups = power.cache_lookups
    assert 0.8 * found.cache.misses < power.cam_lookups < found.cache.misses  # misses for one tag are merged
    assert power.energy_by_cause_j["cache"] == pytest.approx(lookups * 0.039e-9 + 16 * 5 * 13e-3 * seconds)
    assert power.energy_by_cause_j["cam"] == pytest.approx(power.cam_lookups * 42e-9 + 16 * 36e-3 * seconds)
    assert power.energy_by_cause_j["base"] == pytest.approx(16 * 17.80 * seconds)
    assert power.energy_j == pytest.approx(sum(power.energy_by_cause_j.values()))
    assert power.mean_w == pytest.approx(power.energy_j / seconds)
    a_packet, a_bit = power.energy_a_packet_nj, power.energy_a_bit_pj
    assert a_packet["cam"] == pytest.approx(power.energy_by_cause_j["cam"] * 1e9 / power.packets)
    assert a_packet["total"] / a_bit["total"] == pytest.approx(4 * 64 / 1000, rel=0.01)  # packets of 4 flits of 64 bits
    assert power.duration_ns == 2 * found.phases.measure


@pytest.mark.parametrize(
    ("kind", "switches", "links"),
    [
        (["topology.kind=fat_tree", "topology.arity=2", "topology.levels=3", "routing.kind=up_down"], 12, 32),
        (["topology.kind=hypercube", "topology.dimensions=3", "planes.count=2", "planes.tie=hash"], 16, 48),
    ],
)
def test_indirect_networks_and_planes(kind, switches, links):
    made = load(
        None, [*kind, "run.specialise=false", "measure.period=100", "measure.max_measure_periods=10"], power=True
    )
    power = simulate(made).figures.power
    assert (power.switches, power.links) == (switches, links)
    linked = power.energy_by_cause_j["base"] + power.energy_by_cause_j["links"]
    assert linked == pytest.approx((switches * 17.80 + links * 1.02) * power.duration_ns * 1e-9)


def test_files_say_where_links_are(tmp_path):
    torus = ("topology.kind=torus", "topology.radix=[4,2]", "switch.routing=dimension_order", "switch.depth=16")
    account(tmp_path, ping(2, 100), "power.node_links=true", network=torus)
    table = pd.read_parquet(tmp_path / "power.parquet").set_index(["switch", "port"])
    assert len(table) == 8 * 5
    edge = table.loc[3, 0]
    assert (edge["to_switch"], edge["to_port"], edge["dimension"], edge["direction"]) == (0, 1, 0, 1)
    assert table.loc[(0, 3), "direction"] == -1
    assert table.loc[(5, 4), "to_node"] == 5
    assert table.loc[5, 4][["to_switch", "to_port", "dimension"]].isna().all()
    metadata = PowerFile(tmp_path / "power.switches.parquet").metadata
    assert metadata["topology"]["coordinates"][5] == [1, 1]
    assert metadata["rank_nodes"] == list(range(8))
    schema = pq.read_schema(tmp_path / "power.switches.parquet")
    assert json.loads(schema.metadata[b"tsuji"]) == metadata
    assert load_again(metadata["config"]) == metadata["config"]


def load_again(document):
    """Return the document of the configuration that `document` contains."""
    return read(Table(document)).document()


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (["power.t_lt_ns=-1"], "power.t_lt_ns = -1"),
        (["power.t_lt_ns=soon"], "power.t_lt_ns = 'soon'"),
        (["power.t_ls_ns=100"], "power.t_ls_ns = 100.0: without t_lt_ns"),
        (["power.t_lt_ns=70000"], "power.t_lt_ns = 70000: is 70000 cycles of 1 ns; must be at most 65534"),
        (["power.t_lt_ns=100", "lpi.sleep=7"], "lpi.sleep = 7: power.t_lt_ns = 100.0"),
        (["power.t_lt_ns=off", "lpi.sleep=7"], r"\[lpi\]: power.t_lt_ns = \"off\" is without it"),
        (["power.cycle_ns=2", "workload.cycle_ns=3"], "power.cycle_ns = 2: workload.cycle_ns = 3"),
        (["power.chunk_ns=0.1"], "power.chunk_ns = 0.1: is 0.1 cycles"),
        (["power.base_w=-2"], "power.base_w = -2"),
        (["power.watts=2"], "power.watts = 2: unknown key"),
    ],
)
def test_what_is_refused(settings, text):
    with pytest.raises(TsujiError, match=text):
        load(None, settings)


def test_a_switch_without_counters_is_refused():
    with pytest.raises(TsujiError, match=r"switch\.counter_width = 0: power is read from the counters"):
        simulate(load(None, [*RING, "switch.counter_width=0", "run.specialise=false"], power=True))


def test_times_become_cycles():
    made = load(None, ["workload.cycle_ns=12.8", "power.t_lt_ns=9000"])
    assert (made.switch.lpi.idle, made.switch.lpi.sleep, made.switch.lpi.wake) == (703, 350, 225)
    assert (made.power.cycle_ns, made.power.chunk_cycles) == (12.8, 3906)
    assert load(None, ["power.t_lt_ns=0"]).switch.lpi.idle == 0
    assert load(None, ["power.t_lt_ns=100", "lpi.sleep=4480"]).switch.lpi.idle == 100


def test_a_shorter_last_chunk_is_no_peak(tmp_path):
    """All ranks send in the last cycles: the chunk with most power is the short last one, which does not count."""
    rows = [
        [(CALC, 0, 1010, 0, []), (SEND, (r + 1) % 8, FLIT, 0, [0]), (RECV, (r - 1) % 8, FLIT, 0, [])] for r in range(8)
    ]
    result, table = account(tmp_path, rows, *SLEEPY, chunk=1000)
    first, last = table.groupby("chunk")["mean_w"].sum()
    assert last > first
    assert result.power.peak_w == pytest.approx(first + result.power.switches * 17.8, rel=1e-12)


def test_delays_are_in_nanoseconds(tmp_path):
    result, table = account(tmp_path, ping(2, 800), *SLEEPY, "workload.cycle_ns=2")
    assert result.power.wake_delay_ns == 2 * table["wake_delay_cycles"].sum() > 0


def test_chunks_begin_where_they_should_whatever_is_asked_for(tmp_path):
    """A measurement advances by other steps than chunks."""
    made = load(None, [*RING, "run.specialise=false", "power.chunk_ns=50"], power=True)
    built = build(made)
    recorder = PowerRecorder(built, made.switch, made.power, made.document(), tmp_path / "p.parquet")
    for cycles in (30, 100, 7):
        recorder.advance(built.advance, cycles)
    recorder.finish(built)
    table = pd.read_parquet(tmp_path / "p.parquet")
    assert table[["start_ns", "end_ns"]].drop_duplicates().values.tolist() == [[0, 50], [50, 100], [100, 137]]
