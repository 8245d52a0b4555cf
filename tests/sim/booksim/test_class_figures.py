"""Figures of a class: what counts, when they are steady, when BookSim2 would give up."""

import numpy as np
import pytest

from sim.booksim.class_figures import TERMINAL_LINKS, ClassFigures
from sim.booksim.parser import parse
from sim.booksim.settings import settings
from sim.booksim.traffic_keys import traffic_classes
from sim.packets import Delivered, Packets


def figures(text=""):
    (traffic,) = traffic_classes(settings(parse(f"k = 2; latency_thres = 50; {text}", "net.cfg")))
    return ClassFigures(traffic, 4)


def gone(birth, eject, origin=None):
    birth, eject = np.array(birth), np.array(eject)
    nothing = np.zeros(len(birth), np.int64)
    origin = birth if origin is None else np.array(origin)
    return Delivered(nothing, nothing, nothing + 1, birth, birth + 1, eject, nothing + 2, origin, nothing, nothing)


def test_packets_of_the_measurement_count():
    """Those born in it; the others are accepted, and have left."""
    found = figures()
    found.add_gone(gone([5, 90, 110], [30, 100, 130]), 100, None, 200, True)
    latency = found.figures(200)["Packet latency"]
    assert (latency.average, latency.minimum) == (20 + TERMINAL_LINKS, 20 + TERMINAL_LINKS)


def test_a_run_is_over_when_what_was_born_has_left():
    """With requests, when their replies have, too, which count by the birth of the request."""
    found = figures("use_read_write = 1;")
    three = np.array([1, 2, 3])
    found.add_offered(Packets(three, three, three, np.ones(3, np.int64)), ended=False)
    assert found.outstanding == 6
    found.add_gone(gone([1, 2, 3], [9, 9, 9]), None, 10, 20, True)
    assert found.outstanding == 3
    found.add_gone(gone([11, 11, 60], [15, 15, 70], origin=[1, 2, 55]), None, 10, 80, True)
    assert found.outstanding == 1


@pytest.mark.parametrize(("cycle", "slow"), [(45, False), (60, True)])
def test_packets_under_way_count_with_their_age(cycle, slow):
    found = figures()
    one = np.array([0])
    found.add_offered(Packets(one, one, one, one + 2), ended=False)
    assert found.under_way == (2, 0)
    reason = found.reason_to_abort(cycle, found.under_way)
    assert reason == ("mean latency exceeded latency_thres = 50 cycles" if slow else "")


def test_what_changes_by_more_than_its_limit_is_not_steady():
    found = figures("warmup_thres = 0.1; stopping_thres = 0.01; acc_warmup_thres = -1;")
    assert found.is_steady((0.05, 0.9), warming_up=True)
    assert not found.is_steady((0.05, 0.0), warming_up=False)
    throughput = figures("sim_type = throughput;")
    assert throughput.is_steady((0.9, 0.01), warming_up=False)
