"""Format of the packets of a board's nodes."""

import pytest

from models.errors import TsujiError
from models.params import SwitchParams
from synth.boards.packet_format import PacketFormat
from tests.synth.boards.golden_packet import packet_flits


def switch(width: int, tag_width: int = 16) -> SwitchParams:
    return SwitchParams(routing="dimension_order", radix=(4, 4), data_width=width, tag_width=tag_width)


@pytest.mark.parametrize(
    ("width", "nodes", "least"),
    [(64, 16, 2), (64, 17, 3), (64, 4, 2), (32, 16, 3), (32, 17, 4), (16, 16, 5), (128, 256, 2)],
)
def test_a_packet_holds_tag_and_trailer(width, nodes, least):
    """A trailer has 56 bits and two numbers of nodes; a packet of header and trailer is the shortest."""
    form = PacketFormat(switch(width), nodes, least)
    assert form.trailer_bits == 56 + 2 * (nodes - 1).bit_length()
    with pytest.raises(TsujiError, match=rf"traffic.packet_size = {least - 1}: .* need {least} flits of {width} bits"):
        PacketFormat(switch(width), nodes, least - 1)


def test_narrow_flits_are_refused():
    with pytest.raises(TsujiError, match=r"switch.data_width = 8: nodes of a board need flits of at least 16 bits"):
        PacketFormat(switch(8), 16, 20)


def test_a_packet_worked_out():
    """Flits of 32 bits, four nodes: a trailer of 60 bits, so the last flit and 28 bits of the one before."""
    form = PacketFormat(switch(32), 4, 4)
    fields = {"destination": 2, "source": 1, "measured": 1, "sequence": 0x1234, "birth": 0xABCDEF}
    flits = packet_flits(form, 0x0002, fields)
    trailer = 2 | 1 << 2 | 1 << 4 | 0x1234 << 5 | 0xABCDEF << 20
    assert flits[0] == 0xEFAB_0002
    assert flits[1] == ~0xEFABCDEF & 0xFFFFFFFF
    assert flits[2] == 0xF | (trailer & 0xFFFFFFF) << 4
    assert flits[3] & 0xFFFF == trailer >> 28
