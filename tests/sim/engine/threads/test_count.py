"""How many threads a network is given."""

import pytest

from models.errors import TsujiError
from models.params import LinkParams, SwitchParams
from sim.engine.threads import count
from sim.engine.threads.count import PAYS_FROM, thread_count
from sim.topology.link_times import LinkTimes
from sim.topology.torus import grid

SMALL, LARGE = grid((8, 8), wrap=True), grid((64, 32), wrap=True)


def given(wanted, topology=LARGE, log=0, batched=False, **params):
    switch = SwitchParams(ports=topology.ports, **params)
    return thread_count(wanted, switch, topology, LinkTimes.of(switch, LinkParams(), topology), log, batched)


@pytest.mark.parametrize(("cpus", "topology", "threads"), [(8, LARGE, 4), (3, LARGE, 3), (1, LARGE, 1), (8, SMALL, 1)])
def test_auto_takes_what_pays(monkeypatch, cpus, topology, threads):
    monkeypatch.setattr(count, "cpus", lambda: cpus)
    assert given("auto", topology) == threads == max(1, min(cpus, topology.switches // PAYS_FROM))


def test_auto_is_one_in_a_worker(monkeypatch):
    monkeypatch.setattr(count, "cpus", lambda: 8)
    monkeypatch.setattr(count, "parent_process", lambda: object())
    assert given("auto") == 1
    assert given(3) == 3


def test_auto_is_one_where_several_are_refused(monkeypatch):
    monkeypatch.setattr(count, "cpus", lambda: 8)
    assert given("auto", log=5) == 1
    assert given("auto") == 4


def test_a_batch_is_not_divided(monkeypatch):
    monkeypatch.setattr(count, "cpus", lambda: 8)
    assert given(2, SMALL) == 2
    with pytest.raises(TsujiError, match=r"64 switches, advanced in batches of 64 of which .*; at most 1"):
        given(2, SMALL, batched=True)


@pytest.mark.parametrize("wanted", [0, 65, True, "all", 1.5, None])
def test_nothing_else_is_taken(wanted):
    with pytest.raises(TsujiError, match=r"run.threads = .*: must be a number from 1 to 64, or \"auto\""):
        given(wanted)


def test_a_log_is_of_one_thread():
    with pytest.raises(
        TsujiError, match=r'run.threads = 2: one thread only with a log of events at nodes; use 1 or "auto"'
    ):
        given(2, log=1)
