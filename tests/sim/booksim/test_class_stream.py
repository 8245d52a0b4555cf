"""Packets of a class of traffic: plain ones, and requests with the share and the sizes that are asked for."""

import numpy as np
import pytest

from models.booksim.iq_state import PLAIN, READ_REQUEST, WRITE_REQUEST
from sim.booksim.class_stream import ClassStream
from sim.booksim.parser import parse
from sim.booksim.settings import settings
from sim.booksim.traffic_keys import traffic_classes

NODES = 16


def stream(text):
    (traffic,) = traffic_classes(settings(parse(f"k = 4; injection_rate = 0.2; {text}", "net.cfg")))
    return ClassStream(traffic, NODES, 3)


def test_plain_packets_have_no_type():
    packets, kinds = stream("packet_size = 5;").until(500)
    assert (kinds == PLAIN).all()
    assert (packets.size == 5).all()


def test_requests_are_read_or_write_each_with_its_size():
    packets, kinds = stream("use_read_write = 1; write_fraction = 0.25; write_request_size = 7;").until(5000)
    assert len(packets) / 5000 / NODES == pytest.approx(0.2, rel=0.05)
    assert (kinds == WRITE_REQUEST).mean() == pytest.approx(0.25, abs=0.02)
    assert (packets.size == np.where(kinds == WRITE_REQUEST, 7, 1)).all()
    assert set(kinds) == {READ_REQUEST, WRITE_REQUEST}


def test_what_is_read_in_pieces_is_the_same():
    whole = stream("use_read_write = 1;").until(900)
    parts = stream("use_read_write = 1;")
    pieces = [parts.until(cycle) for cycle in (100, 101, 600, 900)]
    assert np.concatenate([packets.birth for packets, _ in pieces]).tolist() == whole[0].birth.tolist()
    assert np.concatenate([kinds for _, kinds in pieces]).tolist() == whole[1].tolist()
