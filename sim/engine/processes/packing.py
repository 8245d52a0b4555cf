"""Packs the mail of a window for another process into one message, and unpacks it there.

A message is a list of words, the first of which is their number. Mail comes first, as `MAIL`; behind a head, what has
changed in the record of its packet. Then, of batches, vectors of pins that become visible in the next window.
"""

from __future__ import annotations

import numpy as np

from models.batched.link import pins_at, pins_slot
from models.jit.compiled import compiled, compiled_noinline
from models.jit.simd_type import LANES
from models.parts import batch_elsewhere
from sim.engine.state import MAIL, Engine
from sim.engine.threads.mail import HEAD, RELEASE, WINDOW

PINS = RELEASE + 1  # a kind of mail: `at`, cycle; `to`, batch; `what`, port as of `pins_at`
WORDS_OF_MAIL = len(MAIL.names or ())
WORDS_OF_PACKET = 5
LOW = (1 << 32) - 1


@compiled
def _put(words: np.ndarray, n: int, kind: int, at: int, to: int, what: int) -> int:
    """Write a row of mail; return the index of the next word."""
    words[n] = kind
    words[n + 1] = at
    words[n + 2] = to
    words[n + 3] = what
    return n + WORDS_OF_MAIL


@compiled
def _put_packet(e: Engine, words: np.ndarray, n: int, packet: int) -> int:
    """Write what changes in a packet's record on its way; return the index of the next word."""
    row = e.packets[packet]
    words[n] = row.birth
    words[n + 1] = row.enter
    words[n + 2] = row.tag
    words[n + 3] = int(row.flight) << 32 | int(row.hops) & LOW
    words[n + 4] = row.lag
    return n + WORDS_OF_PACKET


@compiled
def _take_packet(e: Engine, words: np.ndarray, n: int, packet: int) -> int:
    """Take what `_put_packet` wrote; return the index of the next word."""
    row = e.packets[packet]
    row.birth = words[n]
    row.enter = words[n + 1]
    row.tag = words[n + 2]
    row.flight = words[n + 3] >> 32
    row.hops = words[n + 3] & LOW
    row.lag = words[n + 4]
    return n + WORDS_OF_PACKET


@compiled
def _pack_pins(e: Engine, pins: np.ndarray, batch: int, cycle: int, words: np.ndarray, n: int) -> int:
    """Move what becomes visible in `cycle` at pins of a batch into a message; return the index of the next word."""
    st = e.switches
    slot, there = pins_slot(st, cycle), batch_elsewhere(st, batch)
    due = slot * st.pin_batches + there
    if not e.part.pins_due[e.part.number, due]:
        return n
    e.part.pins_due[e.part.number, due] = 0
    size = LANES * st.pins.itemsize >> 3
    for which in range(2 * st.k.ports):
        first = pins_at(st, slot, there, which) * size
        put = _put(words, n, PINS, cycle, batch, which)
        sent = 0
        for k in range(size):
            word = pins[e.part.number, first + k]
            sent |= word
            words[put + k] = word
            pins[e.part.number, first + k] = 0
        if sent:
            n = put + size
    return n


@compiled_noinline
def pack_window(e: Engine, there: int, pins: np.ndarray, batches: np.ndarray, begin: int, words: np.ndarray) -> int:
    """Move the mail of the latest window to another part into a message; return the number of its words.

    Parameters
    ----------
    e : Engine
        The part that sends.
    there : int
        The part that receives.
    pins : array
        `Part.pins` as int64.
    batches : array
        Batches of that part that this one sends to.
    begin : int
        First cycle after the window.
    words : array
        The message.
    """
    part = e.part
    parity = (part.own[WINDOW] - 1) & 1
    n = 1
    first = part.mail_begin[parity, part.number, there]
    for k in range(first, part.mail_end[parity, part.number, there, 0]):
        row = part.mail[k]
        n = _put(words, n, row.kind, row.at, row.to, row.what)
        if row.kind == HEAD:
            n = _put_packet(e, words, n, row.what >> 1)
    part.mail_end[parity, part.number, there, 0] = first
    for k in range(len(batches)):
        for cycle in range(begin, begin + part.window):
            n = _pack_pins(e, pins, batches[k], cycle, words, n)
    words[0] = n
    return n


@compiled_noinline
def unpack_window(e: Engine, sender: int, pins: np.ndarray, words: np.ndarray) -> None:
    """Write the message of another part to where `take_mail` finds it; `pins` as in `pack_window`."""
    part, st = e.part, e.switches
    parity = (part.own[WINDOW] - 1) & 1
    end = part.mail_begin[parity, sender, part.number]
    size = LANES * st.pins.itemsize >> 3
    n = 1
    while n < words[0]:
        kind, at, to, what = words[n], words[n + 1], words[n + 2], words[n + 3]
        n += WORDS_OF_MAIL
        if kind == PINS:
            slot, here = pins_slot(st, at), batch_elsewhere(st, to)
            part.pins_due[sender, slot * st.pin_batches + here] = 1
            first = pins_at(st, slot, here, what) * size
            for k in range(size):
                pins[sender, first + k] |= words[n + k]
            n += size
            continue
        row = part.mail[end]
        row.kind = kind
        row.at = at
        row.to = to
        row.what = what
        end += 1
        if kind == HEAD:
            n = _take_packet(e, words, n, what >> 1)
    part.mail_end[parity, sender, part.number, 0] = end


def most_words(rows: int, batches: int, cycles: int, vectors: int, bytes_of_lane: int) -> int:
    """Return the most words of a message.

    Parameters
    ----------
    rows : int
        Most rows of mail.
    batches, cycles, vectors, bytes_of_lane : int
        Batches to which it is sent, cycles of a window, vectors of pins of a batch, bytes of a lane.
    """
    pins = batches * cycles * vectors * (WORDS_OF_MAIL + LANES * bytes_of_lane // 8)
    return 1 + rows * (WORDS_OF_MAIL + WORDS_OF_PACKET) + pins + WORDS_OF_MAIL + LANES
