"""Mail and pins of one part arrive in another process as they were sent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.config import load
from sim.engine.dispatch import EngineCall
from sim.engine.network import Network
from sim.engine.processes.packing import WORDS_OF_MAIL, WORDS_OF_PACKET, most_words, pack_window, unpack_window
from sim.engine.state import Engine
from sim.engine.threads.cut import Cut, cut_network
from sim.engine.threads.handover import Handover
from sim.engine.threads.mail import HEAD
from sim.engine.threads.part_loop import run_part
from sim.engine.threads.parts import batches_reached, part_engines
from sim.simulation import build
from sim.topology.link_times import LinkTimes
from sim.traffic.stream import Stream
from tests.sim.engine.processes.cases import BATCHED, COMPUTED

ROOM = 1 << 20


def two_parts(settings: tuple[str, ...]) -> tuple[Network, Cut, list[Engine]]:
    """Return a network, and the engines of its parts as two processes have them."""
    config = load(None, (*settings, "run.threads=2"))
    network = build(config)
    assert isinstance(network, Network)
    network.offer(Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.5, 1).until(200))
    times = LinkTimes.of(config.switch, config.link, network.topology)
    e = network._engine
    cut = cut_network(config.switch, network.topology, times, config.loop, 2, bool(e.hooks.values.batched))
    assert cut is not None
    parts = [part_engines(e, cut, times, [number], apart=True)[0] for number in range(2)]
    Handover(cut).hand_out(e, parts)
    return network, cut, parts


def advance(part: Engine) -> None:
    """Advance a part by a window."""
    EngineCall(False, run_part)(part, 200)


def pins_of(e: Engine) -> Any:
    return e.part.pins.view(np.int64) if e.hooks.values.batched else np.zeros((2, 0), np.int64)


@pytest.mark.parametrize("settings", [(*COMPUTED, "link.latency=3"), (*BATCHED, "link.latency=3")])
def test_what_one_part_sends_is_what_the_other_takes(settings: tuple[str, ...]) -> None:
    """A part of threads would take it from the sender's memory; all of it is there after the message, and gone here."""
    _, cut, parts = two_parts(settings)
    sender, receiver = parts
    words = np.zeros(ROOM, np.int64)
    sent = heads = came_at_pins = 0
    for _ in range(20):
        for each in parts:
            advance(each)
        until = int(sender.clock[0].cycle)
        parity = (sender.part.own[0] - 1) & 1
        rows = sender.part.mail[
            sender.part.mail_begin[parity, 0, 1] : sender.part.mail_end[parity, 0, 1, 0]
        ].copy()  # fmt: skip
        before = pins_of(sender)[0].copy()
        batches = batches_reached(sender, cut, to=1)[1] if len(before) else np.empty(0, np.int64)
        size = pack_window(sender, 1, pins_of(sender), batches, until, words)
        assert size == words[0] <= most_words(len(rows), len(batches), cut.window, 10, 1)
        unpack_window(receiver, 0, pins_of(receiver), words)
        first = receiver.part.mail_begin[parity, 0, 1]
        came = receiver.part.mail[first : receiver.part.mail_end[parity, 0, 1, 0]]
        assert came.tolist() == rows.tolist()
        assert sender.part.mail_end[parity, 0, 1, 0] == sender.part.mail_begin[parity, 0, 1]
        moved = before - pins_of(sender)[0]
        assert np.array_equal(pins_of(receiver)[0], moved)
        sent, heads = sent + len(rows), heads + int((rows["kind"] == HEAD).sum())
        came_at_pins += int((moved != 0).sum())
        pins_of(receiver)[0] = 0  # as the receiver does that takes them
        receiver.part.pins_due[0] = 0
        receiver.part.mail_end[parity, 0, 1, 0] = first
        receiver.part.mail_end[parity, 1, 0, 0] = receiver.part.mail_begin[parity, 1, 0]
    assert heads > 10
    assert came_at_pins > 10 if len(pins_of(sender)[0]) else sent > heads


def test_a_head_brings_what_has_changed_in_its_packet() -> None:
    """In another process, the record is as it was when the packet was offered."""
    _, _, parts = two_parts(COMPUTED)
    words = np.zeros(ROOM, np.int64)
    sender = parts[0]
    while sender.part.mail_end[0, 0, 1, 0] == sender.part.mail_begin[0, 0, 1] or sender.part.own[0] & 1 == 0:
        advance(sender)
    size = pack_window(sender, 1, pins_of(sender), np.empty(0, np.int64), int(sender.clock[0].cycle), words)
    heads = [n for n in range(1, size) if words[n] == HEAD][:1]
    packet = int(words[heads[0] + WORDS_OF_MAIL - 1]) >> 1
    row = sender.packets[packet]
    row_then = [int(row[name]) for name in ("birth", "enter", "tag", "hops", "flight", "lag")]
    assert row_then[3] > 0
    row.birth = row.enter = row.tag = 0
    row.hops = row.flight = row.lag = 0
    unpack_window(parts[1], 0, pins_of(sender), words)
    assert [int(row[name]) for name in ("birth", "enter", "tag", "hops", "flight", "lag")] == row_then


def test_numbers_of_packets_are_signed() -> None:
    """`lag` and `flight` of slow links may be negative for a while."""
    _, _, parts = two_parts(COMPUTED)
    sender = parts[0]
    words = np.zeros(ROOM, np.int64)
    sender.packets[3].hops, sender.packets[3].flight, sender.packets[3].lag = 2, -5, -7
    part = sender.part
    row = part.mail[part.mail_begin[1, 0, 1]]
    row.kind, row.at, row.to, row.what = HEAD, 9, 0, 3 << 1
    part.mail_end[1, 0, 1, 0] += 1
    size = pack_window(sender, 1, pins_of(sender), np.empty(0, np.int64), 0, words)
    assert size == words[0] == 1 + WORDS_OF_MAIL + WORDS_OF_PACKET
    sender.packets[3].hops = sender.packets[3].flight = sender.packets[3].lag = 0
    unpack_window(parts[1], 0, pins_of(sender), words)
    assert [int(sender.packets[3][name]) for name in ("hops", "flight", "lag")] == [2, -5, -7]
