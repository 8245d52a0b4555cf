"""Networks advanced by one to four threads: every packet, counter and figure is the same."""

import gc
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import CamParams, LinkParams, SwitchParams
from sim.config import load
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.engine.stalls.stall import StalledError, nothing_due
from sim.engine.state import Engine
from sim.engine.threads.barrier import FAILED
from sim.engine.threads.call import PartsCall
from sim.engine.threads.mail import SEED
from sim.packets import Delivered, Packets
from sim.simulation import build, simulate
from sim.traffic.stream import Stream
from tests.sim.engine.stalls.test_stall import AROUND, TORUS, one_class

GRID = ('topology.kind="torus"', "topology.radix=[5,4]", "run.specialise=false")
COMPUTED = (*GRID, 'switch.routing="dimension_order"', "switch.vcs=4")
CROSSBARS = ('topology.kind="hyper_crossbar"', "topology.radix=[4,3]", "switch.vcs=4", "run.specialise=false")
BATCHED = (
    'topology.kind="torus"', "topology.radix=[14,16]", "run.specialise=false", 'switch.routing="dimension_order"',
    'switch.allocator="output_first"', "switch.vc_stage=true", "switch.hold_packets=false", "switch.vcs=4",
)  # fmt: skip
ONE_STEP = (
    'topology.kind="torus"', "topology.radix=[14,16]", "run.specialise=false", 'switch.routing="dimension_order"',
    "switch.vcs=4", "run.simd=true",
)  # fmt: skip
NETWORKS = {
    "computed": COMPUTED,
    "long links, fast nodes": (*COMPUTED, "link.latency=7", "switch.node_ports=2"),
    "credits later, cables of nodes": (*COMPUTED, "link.credit_latency=4", "link.node_latency=2"),
    "credits sooner": (*COMPUTED, "link.credit_latency=0", "link.latency=5"),
    "no latency": (*COMPUTED, "link.latency=0"),
    "slow links": (*COMPUTED, "link.interval=3", "link.latency=2"),
    "caches and predictors": (*GRID, "cache.entries=16", "cam.entries=32", 'prediction.kind="latest"'),
    "caches, predictors and long links": (
        *GRID, "cache.entries=16", "cam.entries=32", 'prediction.kind="latest"', "link.latency=6"
    ),
    "predictors": (*COMPUTED, 'prediction.kind="latest"'),
    "sped up, output buffers": (*COMPUTED, "switch.speedup=2", "switch.output_buffer=4"),
    "asleep, woken by hints": (*COMPUTED, "lpi.sleep=5", "lpi.wake=9", "lpi.hints=2"),
    "adaptive": (*COMPUTED, 'adaptive.kind="escape"'),
    "looking ahead": (
        *CROSSBARS, 'switch.routing="hyper_crossbar"', 'adaptive.kind="step"', "adaptive.lookahead=true",
    ),
    "reserving": (
        *CROSSBARS, 'switch.routing="hyper_crossbar"', 'adaptive.kind="step"', "adaptive.lookahead=true",
        "adaptive.reservation=true",
    ),
    "windows": (*COMPUTED, "traffic.window=2", "link.latency=4"),
    "replies": (*COMPUTED, "traffic.window=2", "traffic.reply_size=3", "link.latency=3", "link.node_latency=2"),
    "replies to nodes of two ports": (
        *COMPUTED, "traffic.window=4", "traffic.reply_size=3", "link.latency=3", "switch.node_ports=2",
    ),
    "batched": BATCHED,
    "batched, slow links": (*BATCHED, "link.interval=2", "link.latency=5"),
    "batched, one step": (*ONE_STEP, "link.latency=4"),
    "batched, one step, asleep": (*ONE_STEP, "lpi.idle=3", "lpi.sleep=5", "lpi.wake=9", "link.latency=2"),
    "batched, replies": (*BATCHED, "traffic.reply_size=3"),
}  # fmt: skip
CYCLES = 1500


def seen_of(settings: tuple[str, ...], threads: int, load_: float = 0.25, delays: int = 0) -> list[np.ndarray]:
    """Return every packet, sorted, and every counter of a run in four calls, the last one without new packets."""
    config = load(None, (*settings, f"run.threads={threads}"))
    network = build(config)
    assert network.threads == threads
    if delays:
        network.advance(0)
        for each in network._call.engines:
            each.part.own[SEED] = delays
    stream = Stream(network.topology, config.pattern, config.arrivals, config.sizes, load_, 3)
    gone = []
    for calls in range(4):
        if calls < 3:
            network.offer(stream.until(network.cycle + CYCLES // 3))
        gone.append(network.advance(CYCLES // 3))
    found = Delivered.join(gone)
    columns = np.stack([
        found.birth, found.source, found.destination, found.enter, found.eject, found.hops, found.size, found.origin,
        found.flight, found.lag,
    ])  # fmt: skip
    assert columns.shape[1] > 100
    columns = columns[:, np.lexsort(columns)]
    return [columns, network.counters(), network.wakes(), network.flits_sent(), network.busy_cycles()]


def assert_same(found: list[np.ndarray], expected: list[np.ndarray]) -> None:
    for each, other in zip(found, expected, strict=True):
        assert np.array_equal(each, other)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_packet_and_counter_is_that_of_one_thread(name: str) -> None:
    expected = seen_of(NETWORKS[name], 1)
    for threads in (2, 3, 4):
        assert_same(seen_of(NETWORKS[name], threads), expected)


@pytest.mark.parametrize("name", ["computed", "long links, fast nodes", "batched", "batched, one step, asleep"])
def test_delays_at_barriers_change_nothing(name: str) -> None:
    """Each thread is held up before each barrier by a time that is drawn."""
    expected = seen_of(NETWORKS[name], 1)
    for seed in (1, 2):
        assert_same(seen_of(NETWORKS[name], 3, delays=seed), expected)


def test_time_jumps_where_nothing_is_due() -> None:
    """Packets far apart in time, and a pause in which mail is still on its way."""
    found = []
    for threads in (1, 3):
        network = build(load(None, (*COMPUTED, "link.latency=9", f"run.threads={threads}")))
        births = np.array([0, 1, 70_000, 70_003, 700_000])
        network.offer(Packets(births, np.array([0, 3, 7, 7, 19]), np.array([19, 16, 12, 0, 1]), np.full(5, 4)))
        gone = network.advance(1 << 20)
        assert len(gone) == 5
        found.append((gone.source.tolist(), gone.enter.tolist(), gone.eject.tolist(), network.counters().tolist()))
    assert found[0] == found[1]


def test_time_does_not_jump_over_what_is_on_its_way_between_batches() -> None:
    """After a packet nothing is due for a while, but for credits that go to another part; the next one needs them."""
    found = []
    for threads in (1, 2):
        network = build(load(None, (*BATCHED, "link.latency=9", "switch.depth=4", f"run.threads={threads}")))
        times = []
        for n in range(20):
            birth = network.cycle + n  # packets over a link that is cut, from switch 127 to 143
            network.offer(Packets(*(np.array([value]) for value in (birth, 127, 143, 16))))
            times.append(int(network.advance(1000).eject[0]) - birth)
        found.append(times)
        assert all(map(nothing_due, network._call.engines or [network._engine]))
    assert found[1] == found[0] == [found[0][0]] * 20


@pytest.mark.parametrize("threads", [1, 2])
def test_what_an_interrupted_call_delivered_is_not_lost(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C, or a stall that is found, comes after the packets have left, and before they are returned."""
    network = build(load(None, (*BATCHED, f"run.threads={threads}")))
    config = load(None, BATCHED)
    stream = Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.1, 1)
    network.offer(stream.until(400))

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(network._watch, "look", interrupt)
        with pytest.raises(KeyboardInterrupt):
            network.advance(200)
    network.offer(stream.until(1000))  # more than the pool had room for
    packets = network.in_flight
    gone = network.advance(5000)
    assert len(gone) == packets
    assert gone.eject.min() < 200
    assert (np.diff(gone.eject) >= 0).all()
    assert network.idle()


@pytest.mark.parametrize("runs", [False, True])
def test_a_call_that_ctrl_c_ends(runs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes before compiled code begins, or as soon as that has ended; then nothing is lost, and time goes on."""
    config = load(None, (*BATCHED, "run.threads=2"))
    network, whole = build(config), build(load(None, BATCHED))
    packets = Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.1, 1).until(400)
    network.offer(packets)
    whole.offer(packets)
    call = network._call
    assert isinstance(call, PartsCall)
    first = call._calls[0]
    run = first.run

    def interrupted(e: Engine, end: int) -> None:
        if runs:
            run(e, end)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(first, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            network.advance(200)
    assert network.cycle == 200 * runs
    if not runs:
        with pytest.raises(TsujiError, match="was interrupted or has failed; build it anew"):
            network.advance(200)
        return
    assert len(network.advance(5000)) == len(whole.advance(5200)) == len(packets)
    assert network.idle()


def test_a_network_that_is_no_longer_used_is_freed_with_its_threads() -> None:
    """At once: a large network takes gigabytes, and garbage is collected seldom."""
    network = build(load(None, (*BATCHED, "run.threads=2")))
    network.advance(0)
    call = weakref.ref(network._call)
    threads = threading.active_count()
    gc.disable()
    try:
        del network
        assert call() is None
    finally:
        gc.enable()
    deadline = time.monotonic() + 60
    while threading.active_count() >= threads:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def figures_of(settings: tuple[str, ...], threads: int) -> dict[str, Any]:
    document = simulate(load(None, (*settings, f"run.threads={threads}"))).document()
    assert document.pop("threads") == threads
    document["config"] = document["wall_s"] = None
    return document


def test_figures_and_power_are_the_same() -> None:
    settings = (
        *COMPUTED, "lpi.sleep=5", "lpi.wake=9", "power.chunk_ns=500", "measure.period=500", "measure.measure_periods=2",
        "measure.max_measure_periods=2", "measure.warmup_periods=1", "measure.max_warmup_periods=1",
        "measure.utilisation_interval=100", "traffic.load=0.1",
    )  # fmt: skip
    assert figures_of(settings, 3) == figures_of(settings, 1)


def test_figures_of_a_batch_are_the_same() -> None:
    """A source sends several packets that were born in one cycle; some of them leave in one cycle, too."""
    settings = (
        'topology.kind="torus"', "topology.radix=[4,4]", "run.specialise=false", 'switch.routing="dimension_order"',
        "switch.vcs=4", "measure.period=200", 'measure.mode="batch"', "measure.batch_size=5", "link.latency=9",
    )  # fmt: skip
    assert figures_of(settings, 2) == figures_of(settings, 1)


def test_planes() -> None:
    settings = (
        'topology.kind="hypercube"', "topology.dimensions=4", 'switch.routing="hypercube"', "run.specialise=false",
        "planes.count=2",
    )  # fmt: skip
    networks = [build(load(None, (*settings, f"run.threads={threads}"))) for threads in (1, 2)]
    gone = []
    for network in networks:
        assert isinstance(network, PlaneNetwork)
        config = load(None, settings)
        network.offer(Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.3, 1).until(500))
        found = network.advance(2000)
        order = np.lexsort((found.birth, found.source, found.destination, found.eject))
        gone.append([found.birth[order], found.source[order], found.eject[order], network.counters()])
    assert [network.threads for network in networks] == [1, 2]
    assert_same(gone[1], gone[0])


def test_a_deadlock_is_found_in_the_same_cycle() -> None:
    messages = []
    for threads in (1, 2):
        network = _deadlocked(threads)
        with pytest.raises(StalledError) as error:
            _run_on(network)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def _run_on(network: Network) -> None:
    for _ in range(20):
        network.advance(1000)


def _deadlocked(threads: int) -> Network:
    params = SwitchParams(ports=TORUS.ports, cam=CamParams(entries=16), vcs=1)
    network = Network(params, LinkParams(), TORUS, one_class(1), threads=threads)
    network.offer(Packets(np.zeros(4, np.int64), AROUND, (AROUND + 2) % 4, np.full(4, 200)))
    return network


def test_mail_on_its_way_is_due() -> None:
    """Nothing is due in any part after a run that ends while a flit is on a link that was cut, but for the mail."""
    network = build(load(None, (*COMPUTED, "link.latency=30", "run.threads=2")))
    call = network._call
    network.advance(0)
    owner = call._cut.owner
    far = int(np.flatnonzero(owner != owner[0])[0])
    network.offer(Packets(*(np.array([value]) for value in (0, 0, far, 1))))
    seen = False
    while network.in_flight:
        network.advance(1)
        mail = [each.part for each in call.engines if (each.part.mail_begin != each.part.mail_end[..., 0]).any()]
        if mail:
            seen = True
            assert not all(map(nothing_due, call.engines))
    assert seen


def test_a_thread_that_fails_ends_the_others() -> None:
    network = build(load(None, (*COMPUTED, "run.threads=3")))
    network.advance(10)
    call = network._call
    assert isinstance(call, PartsCall)

    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    call._calls[1].run = fail
    with pytest.raises(ZeroDivisionError):
        network.advance(1000)
    assert call.engines[0].part.barrier[FAILED]
    with pytest.raises(TsujiError, match="has failed; build it anew"):
        network.advance(1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("run.threads=21",), r"run.threads = 21: .* has 20 switches; at most 20"),
        (
            (
                "run.threads=2",
                "link.latency=0",
                'prediction.kind="latest"',
                'switch.routing="table"',
                "cache.entries=16",
            ),
            r"one thread only with links of latency 0 \(link.latency\) between switches with caches and predictors",
        ),
    ],
)
def test_what_several_threads_cannot_do_is_refused(settings: tuple[str, ...], message: str) -> None:
    with pytest.raises(TsujiError, match=message):
        build(load(None, (*COMPUTED, *settings)))
