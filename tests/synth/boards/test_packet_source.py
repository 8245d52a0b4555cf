"""Sender of a board's node against the source of the model, and its packets against their definition."""

import random
from typing import Any

import pytest

from models.node.terminal import (
    new_sources,
    source_can_take,
    source_choose,
    source_credit,
    source_may_send,
    source_send,
    source_take,
)
from models.params import SwitchParams
from synth.boards.packet_format import PacketFormat
from synth.boards.packet_source import PacketSource
from tests.synth.boards.golden_packet import packet_flits
from tests.synth.boards.simulated import run_cycles

TAGS = [3, 0x1234, 7, 0xFFFF, 9, 10]
LINK = [f"link.flit.{name}" for name in ("valid", "payload.vc", "payload.tail", "payload.data")]


class Expected:
    """The model's source, what is on its link, and credits that come back at random."""

    def __init__(self, form: PacketFormat, draw: random.Random) -> None:
        self.form, self.draw = form, draw
        params = form.switch
        self.sources, self.sending = new_sources(1, params.vcs, params.depth)
        self.buffered = [0] * params.vcs
        self.packet: list[int] = []
        self.sent: dict[int, int] = {}
        self.pending: int | None = None

    def step(self, cycle: int, valid: bool, packet: dict[str, int]) -> tuple[bool, tuple[int, ...] | None, int | None]:
        """Return whether the packet is taken, the flit on the link in the next cycle, and the VC of a credit."""
        params = self.form.switch
        take = bool(valid and source_can_take(self.sources, 0, 1, cycle))
        if take:
            source_take(self.sources, self.sending, 0, 0, self.form.size)
            to = packet["destination"]
            fields = packet | {"source": 2, "sequence": self.sent.get(to, 0)}
            self.packet = packet_flits(self.form, TAGS[to], fields)
            self.sent[to] = self.sent.get(to, 0) + 1
        flit = None
        if source_may_send(self.sources, 0):
            v = int(source_choose(self.sources, 0))
            tail = source_send(self.sources, self.sending, 0, v, params.credit_need)
            flit = v, int(tail), self.packet.pop(0)
            self.buffered[v] += 1
        waiting = [v for v in range(params.vcs) if self.buffered[v]]
        back = self.draw.choice(waiting) if waiting and self.draw.random() < (0.2, 0.6, 1.0)[cycle // 200 % 3] else None
        if back is not None:
            source_credit(self.sources, self.sending, 0, back, params.credit_need)
            self.buffered[back] -= 1
        return take, flit, back


@pytest.mark.parametrize(
    ("width", "size", "more"),
    [
        (64, 2, {"vcs": 1}),
        (32, 4, {"vcs": 2, "depth": 3}),
        (32, 5, {"vcs": 3, "depth": 6, "buffering": "dynamic", "max_packet": 5}),
        (16, 7, {"vcs": 4}),
        (128, 2, {"vcs": 2}),
    ],
)
def test_flits_are_those_of_the_model_s_source(width: int, size: int, more: dict[str, Any]) -> None:
    params = SwitchParams.model_validate(
        {"routing": "dimension_order", "radix": (2, 3), "data_width": width, "tag_width": 16} | more
    )
    form = PacketFormat(params, len(TAGS), size)
    draw = random.Random(f"{width}/{size}")
    model = Expected(form, draw)
    given, expected = [], []
    on_link, sequence, tails = None, 0, 0
    for cycle in range(900):
        valid = draw.random() < (0.9, 0.1)[cycle // 300 % 2]
        packet = {"birth": draw.getrandbits(24), "destination": draw.randrange(6), "measured": draw.getrandbits(1)}
        before = model.sent.get(packet["destination"], 0)
        take, flit, back = model.step(cycle, valid, packet)
        inputs = packet | {"rst": 0, "node": 2, "valid": int(valid), "sequence": sequence}
        inputs |= {"link.credit.valid": back is not None, "link.credit.payload.vc": back or 0}
        given.append(inputs)
        expected.append((take, on_link, bool(flit and flit[1])))
        tails += bool(flit and flit[1])
        on_link, sequence = flit, before if take else draw.getrandbits(15)
    seen = run_cycles(PacketSource(form, TAGS), len(given), given.__getitem__, ["take", "sent", *LINK])
    for cycle, ((take, flit, sent), got) in enumerate(zip(expected, seen, strict=True)):
        assert (got["take"], got["sent"]) == (take, sent), cycle
        assert got["link.flit.valid"] == (flit is not None), cycle
        assert flit is None or flit == tuple(got[name] for name in LINK[1:]), cycle
    assert tails > 40
