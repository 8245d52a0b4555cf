"""Receiver of a board's node: packets on all VCs, some with faults."""

import random
from typing import Any

import pytest

from models.params import SwitchParams
from synth.boards.packet_format import PacketFormat
from synth.boards.packet_sink import PacketSink
from tests.synth.boards.golden_packet import packet_flits
from tests.synth.boards.simulated import run_cycles

WRONG = ["wrong_size", "wrong_crc", "wrong_destination"]
OUTPUTS = ["flit", "done", *WRONG, "latency", "trailer", "link.credit.valid", "link.credit.payload.vc"]


def _packet(form: PacketFormat, draw: random.Random) -> tuple[list[int], dict[str, int], str]:
    """Return the flits of a packet, its trailer's fields, and what is wrong with it."""
    fields = {"destination": 1, "source": draw.randrange(6), "measured": draw.getrandbits(1)}
    fields |= {"sequence": draw.getrandbits(15), "birth": draw.getrandbits(24)}
    wrong = draw.choice(["", "", "", *WRONG])
    if wrong == "wrong_destination":
        fields["destination"] = draw.choice([0, 2, 3, 4, 5])
    flits = packet_flits(form, draw.getrandbits(16), fields)
    if wrong == "wrong_crc":
        flits[draw.randrange(form.size)] ^= 1 << draw.randrange(form.switch.data_width)
    if wrong == "wrong_size":
        flits = flits[1:] if draw.random() < 0.5 else flits * draw.randrange(2, 5)
    return flits, fields, wrong


@pytest.mark.parametrize(("width", "size", "vcs"), [(64, 2, 1), (32, 4, 2), (16, 7, 3), (64, 3, 4)])
def test_packets_are_judged(width: int, size: int, vcs: int) -> None:
    params = SwitchParams(routing="dimension_order", radix=(2, 3), data_width=width, tag_width=16, vcs=vcs)
    form = PacketFormat(params, 6, size)
    draw = random.Random(f"{width}/{size}/{vcs}")
    under_way: list[Any] = [None] * vcs
    given: list[dict[str, int]] = []
    judged: dict[int, tuple[dict[str, int], str, int]] = {}
    for cycle in range(1500):
        now = cycle + (1 << 24) - 700 & (1 << 24) - 1
        inputs: dict[str, int] = {"rst": 0, "node": 1, "now": now, "link.flit.valid": draw.random() < 0.8}
        if inputs["link.flit.valid"]:
            v = draw.randrange(vcs)
            under_way[v] = under_way[v] or _packet(form, draw)
            flits, fields, wrong = under_way[v]
            inputs |= {"link.flit.payload.vc": v, "link.flit.payload.data": flits.pop(0)}
            inputs["link.flit.payload.tail"] = not flits
            if not flits:
                under_way[v] = None
                judged[cycle] = fields, wrong, now
        given.append(inputs)
    seen = run_cycles(PacketSink(form), len(given), given.__getitem__, OUTPUTS)
    for cycle in range(2, len(given)):
        last = given[cycle - 1]
        assert seen[cycle]["link.credit.valid"] == seen[cycle]["flit"] == last["link.flit.valid"]
        assert not last["link.flit.valid"] or seen[cycle]["link.credit.payload.vc"] == last["link.flit.payload.vc"]
        assert seen[cycle]["done"] == (cycle - 2 in judged)
        if cycle - 2 not in judged:
            continue
        fields, wrong, now = judged[cycle - 2]
        assert [seen[cycle][name] for name in WRONG] == [name == wrong for name in WRONG], cycle
        if not wrong:
            assert seen[cycle]["latency"] == now - fields["birth"] & (1 << 24) - 1
            value = seen[cycle]["trailer"]
            for field in form.trailer[:-1]:
                assert value & (1 << field.width) - 1 == fields[field.name]
                value >>= field.width
    assert {wrong for _, wrong, _ in judged.values()} == {"", *WRONG}
