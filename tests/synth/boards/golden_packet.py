"""Packets of a board's nodes, worked out bit by bit from their definition (board_nodes.md)."""

from __future__ import annotations

from models.route.crc_hash import crc_by_division
from synth.boards.packet_format import CRC_BITS, CRC_POLYNOMIAL, PacketFormat


def packet_flits(form: PacketFormat, tag: int, fields: dict[str, int]) -> list[int]:
    """Return the data of each flit of a packet with this tag and these fields of the trailer; the CRC is added."""
    width, size = form.switch.data_width, form.size
    whole = tag
    for bit in range(form.switch.tag_width, size * width - form.trailer_bits):
        flit, place = divmod(bit, width)
        whole |= (fields["birth"] >> place % 24 & 1 ^ flit & 1) << bit
    shift = size * width - form.trailer_bits
    for field in form.trailer[:-1]:
        assert fields[field.name] < 1 << field.width
        whole |= fields[field.name] << shift
        shift += field.width
    flits = [whole >> k * width & (1 << width) - 1 for k in range(size)]
    crc = 0
    for flit in flits:
        folded = crc
        for k in range(0, width, CRC_BITS):
            folded ^= flit >> k & (1 << CRC_BITS) - 1
        crc = crc_by_division(folded, CRC_BITS, CRC_POLYNOMIAL)
    return [*flits[:-1], flits[-1] | crc << (width - CRC_BITS)]
