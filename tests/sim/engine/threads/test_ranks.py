"""Messages of ranks on networks advanced by one to four threads: every time, packet and counter is the same."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from models.errors import TsujiError
from models.params import CamParams, LinkParams, SwitchParams
from sim.config import Config, load
from sim.config.workload import WorkloadParams
from sim.engine import network as engine
from sim.engine.dispatch import EngineCall
from sim.engine.network import Network
from sim.engine.stalls.stall import StalledError
from sim.engine.state import Engine
from sim.engine.threads import count
from sim.engine.threads.mail import SEED
from sim.engine.threads.ranks_call import RanksCall
from sim.schedule.job import Job
from sim.schedule.operations import CALC, RECV, SEND, Operations, Row, Whole
from sim.simulation import build
from sim.workload import replay as replays
from sim.workload.mpi_run import run_mpi
from sim.workload.network_executor import NetworkExecutor
from sim.workload.replay import Records, replay
from tests.sim.engine.stalls.test_stall import AROUND, TORUS, one_class

COMMON = (
    "switch.depth=16", "run.specialise=false", "workload.packet_bytes=64", "workload.eager_bytes=256",
    "workload.interfaces=2",
)  # fmt: skip
GRID = ('topology.kind="torus"', "topology.radix=[5,4]", *COMMON)
COMPUTED = (*GRID, 'switch.routing="dimension_order"', "switch.vcs=4")
NETWORKS = {
    "computed": COMPUTED,
    "no latency, overheads": (
        *COMPUTED, "link.latency=0", "workload.send_overhead=7", "workload.receive_overhead=9",
        "workload.copy_cost=0.25",
    ),
    "fast nodes": (*COMPUTED, "link.latency=7", "switch.node_ports=2"),
    "caches and predictors, slow links": (
        *GRID, "cache.entries=16", "cam.entries=32", 'prediction.kind="latest"', "link.interval=2"
    ),
    "asleep, without copies": (*COMPUTED, "lpi.sleep=5", "lpi.wake=9", "workload.zero_copy=true"),
    "batched": (
        'topology.kind="torus"', "topology.radix=[14,16]", 'switch.routing="dimension_order"', "switch.vcs=4",
        'switch.allocator="output_first"', "switch.vc_stage=true", "switch.hold_packets=false", "run.simd=true",
        *COMMON,
    ),
    "batched, one step, asleep": (
        'topology.kind="torus"', "topology.radix=[14,16]", 'switch.routing="dimension_order"', "switch.vcs=4",
        "lpi.sleep=5", "lpi.wake=9", "run.simd=true", *COMMON,
    ),
    "paths drawn": (
        'topology.kind="dragonfly"', 'routing.kind="ugal"', 'routing.base="dragonfly"', "switch.vcs=4", *COMMON,
    ),
}  # fmt: skip
RANKS = 20


def configured(name: str, threads: int) -> Config:
    return load(None, (*NETWORKS[name], f"run.threads={threads}"), workload=True)


def everyone() -> Whole:
    """Each rank sends to six others, eager messages and rendezvous, all at once, and some after a calculation."""
    rows: list[list[Row]] = [[] for _ in range(RANKS)]
    for rank in range(RANKS):
        for step in (1, 2, 3, 5, 7, 11):
            size = 100 * step * (1 + rank % 3)
            rows[rank].append((RECV, (rank - step) % RANKS, 100 * step * (1 + (rank - step) % RANKS % 3), step, []))
            rows[rank].append((SEND, (rank + step) % RANKS, size, step, []))
        rows[rank].append((CALC, 0, 40 * (rank % 4), 0, [0]))
        rows[rank].append((SEND, (rank * 7 + 3) % RANKS, 700, 99, [len(rows[rank]) - 1]))
    for rank in range(RANKS):
        rows[(rank * 7 + 3) % RANKS].append((RECV, rank, 700, 99, []))
    return Whole([Operations.build(each) for each in rows])


@pytest.fixture
def networks(monkeypatch: pytest.MonkeyPatch) -> list[Network]:
    """Networks that are built from now on."""
    built: list[Network] = []

    def kept(config: Config, *more: Any, **named: Any) -> Network:
        network = build(config, *more, **named)
        assert isinstance(network, Network)
        built.append(network)
        return network

    monkeypatch.setattr(replays, "build", kept)
    return built


def figures(network: Network) -> list[Any]:
    return [
        network.cycle, network.packets_sent, network.dropped, network.in_flight, network.flits_sent().tolist(),
        network.counters().tolist(), network.wakes().tolist(),
    ]  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_a_schedule_takes_the_same_time(name: str, networks: list[Network]) -> None:
    """Two ranks are on some nodes, so that they share interfaces, and are neighbours that need no network."""
    found = []
    for threads in (1, 2, 3, 4) if name == "computed" else (1, 2):
        config = configured(name, threads)
        nodes = np.arange(RANKS) * 3 // 4
        result = replay([Job(everyone(), nodes)], config, slow_down=False)
        network = networks.pop()
        assert network.threads == threads
        assert isinstance(network._call, RanksCall) == (threads > 1)
        times = result.ranks
        found.append([times.end.tolist(), times.overhead.tolist(), result.message_latency_ns, *figures(network)])
    assert found[0][4][1] > 1000
    for each in found[1:]:
        assert each == found[0]


def test_what_is_recorded_on_the_way_is_the_same(tmp_path: Path) -> None:
    """Traffic of links and their power, chunk by chunk, and the energy of the whole run."""
    found = []
    for threads in (1, 2):
        settings = (*NETWORKS["asleep, without copies"], f"run.threads={threads}", "power.chunk_ns=150")
        links, power = (tmp_path / f"{name}{threads}.parquet" for name in ("links", "power"))
        records = Records(links=links, chunk=100, power=power)
        result = replay([Job(everyone())], load(None, settings, workload=True), records=records, slow_down=False)
        found.append((pd.read_parquet(links), pd.read_parquet(power), result.power))
    assert len(found[0][0]) > 500
    assert len(found[0][1]) > 500
    assert found[0][2] == found[1][2]
    for k in (0, 1):
        pd.testing.assert_frame_equal(found[0][k], found[1][k])


def program(comm: Any) -> Iterator[Any]:
    """Answers at once, in order of arrival; collectives; work that depends on what was received."""
    rank, ranks, told = comm.rank, comm.size, []
    if rank == 0:
        for _ in range(2 * (ranks - 1)):
            value = comm.recv(tag=5)
            told.append(value)
            comm.send(value, value[0], 6, bytes=8 + value[1])
    else:
        for turn in range(2):
            comm.send((rank, turn), 0, 5, bytes=150 * turn + rank)
            told.append(comm.recv(source=0, tag=6))
    told.append(comm.allreduce(rank))
    comm.alltoall([None] * ranks, bytes=96)
    comm.compute(30e-9 * (rank % 5))
    comm.barrier()
    told.append(comm.world.executor.now)
    return told


@pytest.mark.parametrize("name", ["computed", "fast nodes", "batched"])
def test_a_program_takes_the_same_time(name: str, networks: list[Network]) -> None:
    found = []
    for threads in (1, 2):
        result, values = run_mpi(program, RANKS, configured(name, threads), slow_down=False)
        found.append([result.ranks.end.tolist(), values, *figures(networks.pop())])
    assert found[1] == found[0]


def test_delays_at_barriers_change_nothing(networks: list[Network], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread is held up before each barrier by a time that is drawn."""
    advance = Network.advance_messages

    def delayed(network: Network, *arguments: Any) -> None:
        advance(network, *arguments)
        for each in network._call.engines:
            each.part.own[SEED] = 3

    found = []
    for threads in (1, 3):
        with monkeypatch.context() as patch:
            patch.setattr(Network, "advance_messages", delayed)
            result = replay([Job(everyone())], configured("computed", threads), slow_down=False)
        found.append([result.ranks.end.tolist(), *figures(networks.pop())])
    assert found[1] == found[0]


def test_a_part_that_runs_out_of_packets_gets_others(networks: list[Network], monkeypatch: pytest.MonkeyPatch) -> None:
    """All packets go one way, so that the places of the senders are freed in the other part."""
    rows: list[list[Row]] = [[] for _ in range(RANKS)]
    for rank in range(RANKS // 2):
        rows[rank] = [(SEND, rank + RANKS // 2, 32 * 1024, 0, [])]
        rows[rank + RANKS // 2] = [(RECV, rank, 32 * 1024, 0, [])]
    schedule = Whole([Operations.build(each) for each in rows])
    divided = []
    more = engine.Network._more_packets

    def noted(network: Network) -> None:
        more(network)
        divided.append(len(network._engine.packets))

    monkeypatch.setattr(engine.Network, "_more_packets", noted)
    found = []
    for threads in (1, 2):
        divided.clear()
        result = replay([Job(schedule)], configured("computed", threads), slow_down=False)
        network = networks.pop()
        found.append([result.ranks.end.tolist(), *figures(network)])
        free = network._call.free_packets(network._engine)
        assert sorted(free) == list(range(divided[-1]))  # each place is free, once
    assert found[1] == found[0]
    assert len(divided) > 4
    assert divided[-1] < 8 * divided[0]  # divided anew, not enlarged each time


def test_ranks_that_wait_for_ever_are_found() -> None:
    """Time stops when nothing is due, as with one thread."""
    stopped = []
    for threads in (1, 3):
        executor = NetworkExecutor(_built("computed", threads), WorkloadParams(), np.arange(4))
        executor.post(0, SEND, peer=1, size=100, tag=1)
        executor.post(2, RECV, peer=3, tag=1)
        while executor.run():
            pass
        stopped.append((executor.now, executor.waiting(), executor.network.idle()))
    assert stopped[0] == stopped[1]
    assert stopped[0][1:] == (["rank 2 waits for a message from rank 3, tag 1"], True)


@pytest.mark.parametrize("until", [None, 1500])
def test_time_does_not_go_back(until: int | None) -> None:
    """It stops after the last event of ranks, too, if no switch and no node had anything to do then."""
    found = []
    for threads in (1, 2):
        executor = NetworkExecutor(_built("computed", threads), WorkloadParams(), np.arange(4))
        executor.load(Whole([Operations.build([(CALC, 0, 1000, 0, []), (CALC, 0, 5000, 0, [0])])]))
        times = []

        def run(until: int | None = None) -> None:
            times.append((executor.run(until), executor.now, executor.network.cycle))  # noqa: B023

        run(until)
        for size in (777, 778, 20):
            executor.post(0, CALC, size=size)
            executor.post(1, CALC, size=77)
            executor.post(2, SEND, peer=3, size=size, tag=1)
            executor.post(3, RECV, peer=2, tag=1)
            for _ in range(6):
                run()
            run(executor.now + 50)
        found.append(times)
    assert found[1] == found[0]
    assert found[0][0][1] == 1001


def test_a_deadlock_is_found() -> None:
    """Four messages around a ring without VC classes wait for one another; the same cycle is told in the same cycle."""
    said = []
    for threads in (1, 2):
        params = SwitchParams(ports=TORUS.ports, cam=CamParams(entries=16), vcs=1)
        network = Network(params, LinkParams(), TORUS, one_class(1), stall_cycles=1000, threads=threads)
        executor = NetworkExecutor(network, WorkloadParams(), np.arange(4))
        for rank in AROUND:
            executor.post(rank, SEND, peer=(rank + 2) % 4, size=4000, tag=1)
            executor.post(rank, RECV, peer=(rank + 2) % 4, tag=1)
        with pytest.raises(StalledError) as caught:
            list(iter(executor.run, []))
        said.append((str(caught.value), network.cycle))
    assert said[0] == said[1]


def _built(name: str, threads: int) -> Network:
    network = build(configured(name, threads))
    assert isinstance(network, Network)
    return network


def test_a_history_of_buffers_takes_one_thread() -> None:
    network = _built("computed", 2)
    NetworkExecutor(network, WorkloadParams(), np.arange(4))
    with pytest.raises(TsujiError, match=r"run.threads = 2: one thread only with a history of buffers; use 1"):
        network.watch_buffers(np.array([0]), 0, 10)


def test_threads_that_are_left_to_the_program_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """With messages, more seldom pay."""
    monkeypatch.setattr(count, "cpus", lambda: 2)
    monkeypatch.setattr(count, "PAYS_FROM", 10)
    network = build(load(None, (*COMPUTED, 'run.threads="auto"'), workload=True))
    assert isinstance(network, Network)
    assert network.threads == 2
    NetworkExecutor(network, WorkloadParams(), np.arange(4))
    assert network.threads == 1
    assert not isinstance(network._call, RanksCall)


def test_threads_end_with_their_network(networks: list[Network]) -> None:
    """Also if a program fails while they wait for the next call."""

    def failing(comm: Any) -> None:
        comm.send(None, (comm.rank + 1) % comm.size, 1, bytes=100)
        comm.recv(tag=1)
        raise ZeroDivisionError

    with pytest.raises(TsujiError, match="ZeroDivisionError"):
        run_mpi(failing, RANKS, configured("computed", 3), slow_down=False)
    waiting = list(networks.pop()._call._others)
    assert waiting
    gc.collect()
    for each in waiting:
        each.join(20)
        assert not each.is_alive()


def test_a_thread_that_fails_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    network = _built("computed", 3)
    executor = NetworkExecutor(network, WorkloadParams(), np.arange(4))
    call = network._call
    assert isinstance(call, RanksCall)

    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(call._calls[2], "run", fail)
    executor.post(0, SEND, peer=3, size=100, tag=1)

    def run() -> None:
        for _ in range(3):  # the first call may end before the thread fails
            executor.run()
            time.sleep(1)

    with pytest.raises(ZeroDivisionError):
        run()
    with pytest.raises(TsujiError, match="has failed; build it anew"):
        executor.run()


@pytest.mark.parametrize("runs", [False, True])
def test_an_interrupted_call_tells_the_time_and_keeps_no_thread(runs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes as soon as compiled code has ended, or before it begins; files tell until when they record."""
    reached = []
    for threads in (1, 3):
        network = _built("computed", threads)
        executor = NetworkExecutor(network, WorkloadParams(), np.arange(4))
        executor.post(0, SEND, peer=3, size=100_000, tag=1)
        executor.post(3, RECV, peer=0, tag=1)
        first = network._call._calls[0] if isinstance(network._call, RanksCall) else network._call
        assert isinstance(first, EngineCall)
        run = first.run

        def interrupted(e: Engine, end: int) -> None:
            if runs:
                run(e, end)  # noqa: B023
            raise KeyboardInterrupt

        monkeypatch.setattr(first, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            executor.run(300)
        reached.append(network.cycle)
        for each in network._call._others if isinstance(network._call, RanksCall) else ():
            each.join(20)
            assert not each.is_alive()
    assert reached == [300 * runs] * 2
    with pytest.raises(TsujiError, match="was interrupted or has failed; build it anew"):
        executor.run()


@pytest.mark.parametrize("overhead", [0, 3])
def test_no_two_events_of_a_cycle_have_the_same_stamp(overhead: int) -> None:
    """Else their order would depend on that in which switches and nodes are visited."""
    params = WorkloadParams(send_overhead=overhead, receive_overhead=overhead)
    executor = NetworkExecutor(_built("fast nodes", 1), params, np.arange(RANKS))
    for rank in range(RANKS):
        for tag in range(4):
            executor.post(rank, SEND, peer=(rank + 5) % RANKS, size=64, tag=tag)
            executor.post(rank, RECV, peer=(rank - 5) % RANKS, tag=tag)
    together = 0
    for cycle in range(1, 200):
        while executor.run(until=cycle):
            pass
        events = executor.layer.events[: executor.layer.clock[0].events]
        due, counts = np.unique(events.at, return_counts=True)
        together = max(together, int(counts.max(initial=0)))
        for at in due[counts > 1]:
            assert len(np.unique(events.stamp[events.at == at])) == (events.at == at).sum()
    assert together > RANKS // 2
