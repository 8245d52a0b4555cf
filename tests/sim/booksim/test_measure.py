"""Agreement with BookSim2: zero load to the cycle, points of its curves, its phases and figures."""

import numpy as np
import pytest

from sim.booksim import mapping
from sim.booksim.link_clock import LinkClock
from sim.booksim.measure import measure
from sim.booksim.parser import parse
from sim.booksim.settings import settings
from sim.packets import Packets

MESH = "topology = mesh; k = 4; routing_function = dor; num_vcs = 4;"
TORUS = "topology = torus; k = 4; routing_function = dim_order; num_vcs = 4;"
EIGHT = "k = 8; sample_period = 2000;"
FAST = "internal_speedup = 2.0;"
APART = 400


def plan(text):
    return mapping.plan(settings(parse(text, "net.cfg")))


def found(text):
    return measure(plan(text))


@pytest.mark.parametrize(
    ("text", "hop", "link", "flits"),
    [
        (MESH, 4, 1, 1),
        (MESH + "packet_size = 5;", 4, 1, 5),
        (MESH + "routing_delay = 0;", 3, 1, 1),
        (MESH + "routing_delay = 0; speculative = 1;", 2, 1, 1),
        (MESH + "vc_alloc_delay = 3; st_prepare_delay = 1; st_final_delay = 2; use_noc_latency = 0;", 8, 1, 2),
        (TORUS, 4, 2, 1),
        (TORUS + "use_noc_latency = 0;", 4, 1, 4),
        (TORUS + "speculative = 1; sw_alloc_delay = 2;", 4, 2, 4),
        (TORUS + "wait_for_tail_credit = 1;", 4, 2, 4),
        (MESH + FAST, 2, 1, 1),
        (MESH + FAST + "routing_delay = 0;", 2, 1, 5),
        (MESH + FAST + "routing_delay = 0; speculative = 1;", 1, 1, 3),
        (MESH + FAST + "st_prepare_delay = 1; st_final_delay = 2;", 4, 1, 4),
        (TORUS + FAST + "speculative = 1; credit_delay = 2;", 2, 2, 4),
        (MESH + "internal_speedup = 3.0;", 2, 1, 2),
        (MESH + "internal_speedup = 4.0;", 1, 1, 4),
    ],
)
def test_zero_load_is_booksims_closed_form(text, hop, link, flits):
    """T0 = 3 + H · hop + (H − 1) · link + (L − 1) for H routers, between all nodes, each with itself included."""
    asked = plan(text)
    network = LinkClock(asked.build(), asked.config.switch.speedup)
    nodes = network.nodes
    source, destination = np.divmod(np.arange(nodes * nodes), nodes)
    birth = APART * np.arange(nodes * nodes)
    network.offer(Packets(birth, source, destination, np.full(len(birth), flits)))
    (got,) = network.advance(int(birth[-1]) + APART)
    assert len(got) == nodes * nodes
    assert got.hops.min() == 1
    terminals = 2  # injection and ejection channel of BookSim2
    want = 3 + got.hops * hop + (got.hops - 1) * link + flits - 1
    assert (got.eject - got.birth + terminals == want).all()


@pytest.mark.parametrize(
    ("base", "rate", "latency"),
    [(MESH, 0.05, 33.52), (MESH, 0.1, 33.83), (TORUS + "packet_size = 4; injection_rate_uses_flits = 1;", 0.1, 35.02)],
)
def test_points_of_booksims_curves(base, rate, latency):
    """Measured with BookSim2 on the same configurations; latency within 1 %, accepted traffic within 2 %."""
    outcome = found(f"{base} {EIGHT} injection_rate = {rate};")
    assert not outcome.unstable
    assert outcome.figures["Packet latency"].average == pytest.approx(latency, rel=0.01)
    assert outcome.figures["Accepted flit rate"].average == pytest.approx(rate, rel=0.02)


def test_figures_of_single_flits():
    figures = found(MESH + "injection_rate = 0.2; sample_period = 500;").figures
    assert figures["Packet latency"].minimum == 7  # a packet to its own node: 3 + 4
    assert figures["Fragmentation"].maximum == 0
    assert figures["Flit latency"] == figures["Network latency"]
    assert figures["Network latency"].average <= figures["Packet latency"].average
    assert figures["Injected packet size"].average == figures["Accepted packet size"].average == 1
    for what in ("Injected", "Accepted"):
        flits, packets = figures[f"{what} flit rate"], figures[f"{what} packet rate"]
        assert flits == packets
        assert flits.minimum < flits.average < flits.maximum
        assert flits.average == pytest.approx(0.2, rel=0.05)
    # 4×4 mesh, uniform with oneself: 2 · (k² − 1) / 3k links, and a router more.
    assert figures["Hops"].average == pytest.approx(3.5, rel=0.03)


def test_figures_of_several_flits_are_unknown_where_flits_count():
    figures = found(TORUS + "packet_size = {{1,3}}; injection_rate = 0.05; sample_period = 500;").figures
    assert figures["Flit latency"].average is None
    assert figures["Fragmentation"].average is None
    assert figures["Injected packet size"].average == pytest.approx(2, rel=0.1)
    assert figures["Injected flit rate"].average == pytest.approx(0.1, rel=0.1)


def test_sample_periods_and_the_drain():
    """Three warm-up periods and three similar ones; then until the measured packets have left."""
    thresholds = "stopping_thres = 10; acc_stopping_thres = 10; sample_period = 300;"
    cycles = found(f"{MESH} {thresholds}").cycles
    assert 6 * 300 < cycles <= 7 * 300
    assert found(f"{MESH} {thresholds} warmup_periods = 5;").cycles == cycles + 600
    # No two periods are similar: the largest number of periods; for throughput, one period of draining.
    never = "stopping_thres = 0; acc_stopping_thres = 0; sample_period = 300; sim_type = throughput; max_samples = 8;"
    assert found(f"{MESH} {never}").cycles == 9 * 300


def test_warm_up_by_thresholds():
    text = f"{MESH} sample_period = 200; warmup_periods = 0; sim_type = throughput; stopping_thres = -1;"
    assert found(text + "acc_warmup_thres = -1; acc_stopping_thres = -1;").cycles == 5 * 200
    outcome = found(text + "acc_warmup_thres = 0; max_samples = 4;")
    assert outcome.unstable == "not warmed up within max_samples = 4 sample periods"


def test_saturated_networks_are_given_up():
    text = f"{TORUS} packet_size = 4; injection_rate = 0.25; sample_period = 500; latency_thres = 60;"
    outcome = found(text)
    assert outcome.unstable == "mean latency exceeded latency_thres = 60 cycles"
    assert outcome.figures["Accepted flit rate"].average < 0.9
    assert found(text + "latency_thres = -1; max_samples = 4; injection_rate = 0.15;").unstable == ""


def test_simulations_are_averaged():
    text = f"{MESH} sample_period = 200; sim_type = throughput; max_samples = 5; stopping_thres = 0;"
    one, two = found(text), found(text + "sim_count = 2;")
    assert found(text).figures == one.figures
    assert two.cycles == 2 * one.cycles
    other = 2 * two.figures["Packet latency"].average - one.figures["Packet latency"].average
    assert other != one.figures["Packet latency"].average
    assert other == pytest.approx(one.figures["Packet latency"].average, rel=0.1)
    assert found(text + "seed = 1;").figures != one.figures


def test_a_drain_ends_where_a_class_answers_requests_of_another():
    """As in BookSim2, a node answers a request in the first of its answered classes that is free."""
    ranges = "read_request_end_vc = 1; write_request_end_vc = 3; read_reply_begin_vc = 4; read_reply_end_vc = 5;"
    ranges += "write_reply_begin_vc = 6; write_reply_end_vc = 7;"
    text = f"topology = mesh; k = 2; routing_function = dor; num_vcs = 8; classes = 2; use_read_write = 1; {ranges}"
    drained = []

    def stop_late(phase, cycle, end):
        drained.extend([cycle] * (phase == "draining"))
        assert len(drained) < 5

    outcome = measure(plan(f"{text} injection_rate = 0.02; sample_period = 200;"), stop_late)
    assert not outcome.unstable
    assert outcome.figures["Packet latency"].average > outcome.figures["Class 1: Packet latency"].average > 0
