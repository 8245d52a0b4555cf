"""CRC of a packet, a flit at a time, each flit folded to the width of the CRC (`synth.boards.packet_format`)."""

from __future__ import annotations

from functools import reduce
from operator import xor

from amaranth.hdl import Module, Value

from hdl.lib.barrier import barrier
from hdl.route.crc_hash import CrcHash
from synth.boards.packet_format import CRC_BITS, CRC_POLYNOMIAL


def next_crc(m: Module, crc: Value, data: Value) -> Value:
    """Return the CRC of a packet up to the flit `data`, with `crc` that of the flits before it; 0 if there are none."""
    folded = reduce(xor, (data[k : k + CRC_BITS] for k in range(0, len(data), CRC_BITS)))
    m.submodules.crc_hash = crc_hash = CrcHash(CRC_POLYNOMIAL, CRC_BITS)
    m.d.comb += crc_hash.tag.eq(barrier(m, "folded", folded ^ crc))
    return crc_hash.crc
