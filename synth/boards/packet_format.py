"""Packets of a board's nodes: what their bits are, so that a node can check each packet that it receives.

A packet is a number, its first flit in the lowest bits: the destination tag, filling, and a trailer in the highest
bits. The filling repeats the birth cycle from the lowest bit of each flit on, inverted in every second flit, so that
wires change.

The CRC is one of 16-bit words, one for each flit: the XOR of its bits 0 to 15, 16 to 31 and so on. So it finds every
change of one bit, or of up to 16 neighbours in a flit, at less area than a CRC of all bits.
"""

from __future__ import annotations

from dataclasses import dataclass

from models import formats
from models.errors import TsujiError
from models.formats import Field, Layout
from models.params import SwitchParams, index_width

CRC_BITS, CRC_POLYNOMIAL = 16, 0x11021
BIRTH_BITS = 24
SEQUENCE_BITS = 15


@dataclass(frozen=True)
class PacketFormat:
    """Format of the packets of a network.

    Attributes
    ----------
    switch : SwitchParams
        Parameters of the switches.
    nodes : int
        Nodes of the network.
    size : int
        Flits of every packet.
    """

    switch: SwitchParams
    nodes: int
    size: int

    def __post_init__(self) -> None:
        width, header = self.switch.data_width, self.switch.header_flits
        if width < CRC_BITS:
            raise TsujiError(f"switch.data_width = {width}: nodes of a board need flits of at least {CRC_BITS} bits")
        least = header - -self.trailer_bits // width
        if self.size < least:
            raise TsujiError(
                f"traffic.packet_size = {self.size}: nodes of a board need {least} flits of {width} bits, for the tag "
                f"and {self.trailer_bits} bits by which packets are checked"
            )

    @property
    def node_bits(self) -> int:
        """Width of a node's number."""
        return index_width(self.nodes)

    @property
    def trailer(self) -> Layout:
        """Fields in the highest bits of a packet, lowest first."""
        return (
            Field("destination", self.node_bits, "node to which the packet is sent"),
            Field("source", self.node_bits, "node that sends it"),
            Field("measured", 1, "born after the measurement began"),
            Field("sequence", SEQUENCE_BITS, "packets that the source sent to this destination before"),
            Field("birth", BIRTH_BITS, "cycle of its birth"),
            Field("crc", CRC_BITS, "CRC of the flits, each folded to as many bits, with this field 0"),
        )

    @property
    def trailer_bits(self) -> int:
        """Width of the trailer."""
        return formats.width(self.trailer)
