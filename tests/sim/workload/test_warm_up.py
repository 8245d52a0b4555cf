"""Warm-up of route caches: jobs begin at time 0 of a network at reset whose caches know all their destinations."""

import numpy as np
import pytest

from models.errors import TsujiError
from models.formats import Counter
from models.route.route_cache import cache_fill, copy_caches
from sim.mpi.comm import Comm
from sim.schedule.job import Job
from sim.schedule.operations import RECV, SEND
from sim.simulation import build
from sim.workload.mpi_run import run_mpi
from sim.workload.network_executor import NetworkExecutor
from sim.workload.replay import replay
from sim.workload.run_jobs import run_jobs
from sim.workload.warm_up import LeastAllToAll, warm_up
from tests.sim.workload.networks import config, schedule

RANKS = 16
CACHED = ("topology.kind=torus", "topology.radix=[4,4]", "switch.depth=8", "cache.entries=64", "cache.ways=4")
WARM = "workload.warm_up=alltoall"


def ring(rounds=3, size=300, ranks=RANKS):
    """Return a schedule in which each rank sends to one further away in every round, after it has received."""
    rows = [[] for _ in range(ranks)]
    for step in range(1, rounds + 1):
        for rank in range(ranks):
            waits = [] if step == 1 else [2 * step - 3]
            rows[rank] += [
                (SEND, (rank + 5 * step) % ranks, size, step, waits),
                (RECV, (rank - 5 * step) % ranks, size, step, waits),
            ]
    return schedule(*rows)


def run(*settings, jobs=None):
    """Replay on the cached torus with the energy account, which counts lookups."""
    return replay(jobs or [Job(ring())], config(*settings, "power.chunk_ns=1000", network=CACHED), slow_down=False)


def preloaded(settings, jobs):
    """Return each rank's end on a network whose caches a loop has filled with every route of the tables; and misses."""
    made = config(*settings, network=CACHED)
    network = build(made)
    state = network._engine.switches
    for s in range(network.topology.switches):
        for p in range(network.topology.ports):
            for tag, route in zip(state.table_tag[s].tolist(), state.table_route[s].tolist(), strict=True):
                if route:
                    cache_fill(state, s, p, tag, route)
    copy_caches(state, state)
    executor = NetworkExecutor(network, made.workload, np.arange(RANKS))
    times = run_jobs(executor, jobs)
    counts = network.counters()[:, :, [Counter.CACHE_MISSES, Counter.EVICTIONS]].sum(axis=(0, 1))
    return times.end, int(counts[0])


def test_no_compulsory_miss_is_left():
    cold, warm = run(), run(WARM)
    assert cold.power.cam_lookups > 0
    assert warm.power.cam_lookups == 0
    assert warm.power.cache_lookups == cold.power.cache_lookups
    assert warm.run_time_ns < cold.run_time_ns


def test_times_are_those_of_preloaded_caches():
    """To the cycle, for every rank: the caches answer the same, whatever way and order they were filled in."""
    settings = ("cache.entries=256", "cache.ways=16")
    warm = run(WARM, *settings)
    ends, misses = preloaded(settings, [Job(ring())])
    assert misses == 0
    assert (warm.ranks.end == ends).all()
    assert (run(*settings).ranks.end > ends).any()


def test_the_warm_up_is_in_no_figure():
    cold, warm = run(), run(WARM)
    for name in ("messages", "bytes", "operations", "packets", "flits", "flit_hops"):
        assert getattr(warm, name) == getattr(cold, name), name
    assert warm.links["bytes"].tolist() == cold.links["bytes"].tolist()
    assert warm.power.duration_ns - warm.run_time_ns == cold.power.duration_ns - cold.run_time_ns
    assert warm.power.flits == cold.power.flits
    assert warm.config["workload"]["warm_up"] == "alltoall"


def test_everything_but_the_caches_is_at_reset():
    """The first message of a warm network hits from its first cycle on, when a flush by reset would still run."""
    one = [[] for _ in range(RANKS)]
    one[0], one[2] = [(SEND, 2, 8, 0, [])], [(RECV, 0, 8, 0, [])]
    made = config(network=CACHED)
    warm = run(WARM, jobs=[Job(schedule(*one))])
    hops = 3
    pipeline = made.switch.route_cycles_hit + 1
    assert warm.ranks.end[2] == hops * pipeline + (hops - 1) * made.link.latency + 2


def test_jobs_warm_up_each_for_itself():
    """Ranks of one job do not send to those of another: their destinations miss, if they are asked for."""
    made = config(network=CACHED)
    network = build(made)
    warm_up(network, made.workload, [4, 6], np.arange(10))
    cached = network._engine.switches.cache
    known = {int(tag) for tag in cached[0].tag[cached[0].valid == 1].ravel()}
    assert known >= {0, 1, 2, 3}
    at_source = cached[0, network.topology.node_port[0]]
    assert {int(tag) for tag in at_source.tag[at_source.valid == 1]} == {1, 2, 3}


def test_small_caches_keep_what_came_last():
    """With fewer entries than destinations misses remain, but fewer."""
    cold, warm = (run(*more, "cache.entries=4", "cache.ways=2") for more in ([], [WARM]))
    assert 0 < warm.power.cam_lookups < cold.power.cam_lookups


def test_packets_drawn_to_other_paths_may_miss():
    """The all-to-all sends one packet per pair of ranks, so it meets one of the addresses of each node."""
    several = ("routing.kind=valiant", "routing.paths=4", "switch.vcs=8")
    cold, warm = run(*several), run(WARM, *several)
    assert 0 < warm.power.cam_lookups < cold.power.cam_lookups


def test_least_all_to_all_meets_every_pair_once():
    ranks = 70
    pairs = []
    for rank in range(ranks):
        for block in LeastAllToAll(ranks).blocks(rank):
            assert (block.size == 1).all()
            pairs += [(rank, int(peer)) for peer in block.peer[block.kind == SEND]]
            assert sorted(block.peer[block.kind == RECV]) == sorted((2 * rank - block.peer[block.kind == SEND]) % ranks)
    assert len(pairs) == len(set(pairs)) == ranks * (ranks - 1)
    assert LeastAllToAll(ranks).total == 2 * len(pairs)


@pytest.mark.parametrize("rendezvous", [[], ["workload.eager_bytes=0", "workload.send_overhead=500"]])
def test_a_program_of_mpi_finds_warm_caches(rendezvous):
    def program(comm: Comm) -> int:
        comm.barrier()
        return sum(comm.alltoall([comm.rank] * comm.size))

    results = []
    for more in ([], [WARM]):
        made = config(*more, *rendezvous, "power.chunk_ns=1000", network=CACHED)
        result, values = run_mpi(program, RANKS, made, slow_down=False)
        assert values == [sum(range(RANKS))] * RANKS
        results.append(result)
    cold, warm = results
    assert cold.power.cam_lookups > 0
    assert warm.power.cam_lookups == 0
    assert cold.messages == warm.messages


@pytest.mark.parametrize(
    "settings", [["cache.entries=0"], ["switch.routing=dimension_order"], ["switch.routing=linear"]], ids=str
)
@pytest.mark.filterwarnings("ignore:.cache. has no effect")
def test_without_caches_it_is_refused(settings):
    with pytest.raises(
        TsujiError, match=r'workload\.warm_up = "alltoall": fills route caches, and this switch has none'
    ):
        config(WARM, *settings, network=[each for each in CACHED if "cache" not in each])


def test_an_unknown_warm_up_is_refused():
    with pytest.raises(TsujiError, match=r"workload\.warm_up = 'all'.*none, alltoall"):
        config("workload.warm_up=all")
