"""AXI4-Lite (AMBA AXI protocol specification, IHI 0022): signals of the bus.

Plumbing: no behaviour, so neither model nor bench.
"""

from __future__ import annotations

from typing import ClassVar

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.formats import Meaning

DATA_BITS = 32
STROBE_BITS = DATA_BITS // 8
OKAY, SLVERR = 0, 2
"""Responses: the access took place; it is refused."""

_HELD = "held until a cycle in which valid and ready are 1"


class AxiLiteSignature(wiring.Signature):
    """AXI4-Lite with 32 bits of data, as seen by its manager.

    Members
    -------
    awaddr, awprot, awvalid, awready : Out, Out(3), Out(1), In(1)
        Channel of write addresses.
    wdata, wstrb, wvalid, wready : Out(32), Out(4), Out(1), In(1)
        Channel of write data.
    bresp, bvalid, bready : In(2), In(1), Out(1)
        Channel of write responses.
    araddr, arprot, arvalid, arready : Out, Out(3), Out(1), In(1)
        Channel of read addresses.
    rdata, rresp, rvalid, rready : In(32), In(2), In(1), Out(1)
        Channel of read data.
    """

    meanings: ClassVar[dict[str, Meaning]] = {
        "awaddr": Meaning("address in bytes; its lowest 2 bits are ignored", _HELD),
        "awprot": Meaning("protection; ignored", _HELD),
        "awvalid": Meaning("1 if there is a write address", _HELD),
        "awready": Meaning("1 if the write address is taken in this cycle", "does not wait for awvalid"),
        "wdata": Meaning("write data", _HELD),
        "wstrb": Meaning("bytes to be written", _HELD),
        "wvalid": Meaning("1 if there are write data", _HELD),
        "wready": Meaning("1 if the write data are taken in this cycle", "does not wait for wvalid"),
        "bresp": Meaning("0: written; 2: refused, nothing was changed", _HELD),
        "bvalid": Meaning("1 if there is a write response", _HELD),
        "bready": Meaning("1 if the write response is taken in this cycle", "may wait for bvalid"),
        "araddr": Meaning("address in bytes; its lowest 2 bits are ignored", _HELD),
        "arprot": Meaning("protection; ignored", _HELD),
        "arvalid": Meaning("1 if there is a read address", _HELD),
        "arready": Meaning("1 if the read address is taken in this cycle", "does not wait for arvalid"),
        "rdata": Meaning("read data; 0 if refused", _HELD),
        "rresp": Meaning("0: read; 2: refused", _HELD),
        "rvalid": Meaning("1 if there are read data", _HELD),
        "rready": Meaning("1 if the read data are taken in this cycle", "may wait for rvalid"),
    }

    def __init__(self, address_bits: int) -> None:
        self._address_bits = address_bits
        super().__init__(
            {
                "awaddr": Out(address_bits),
                "awprot": Out(3),
                "awvalid": Out(1),
                "awready": In(1),
                "wdata": Out(DATA_BITS),
                "wstrb": Out(STROBE_BITS),
                "wvalid": Out(1),
                "wready": In(1),
                "bresp": In(2),
                "bvalid": In(1),
                "bready": Out(1),
                "araddr": Out(address_bits),
                "arprot": Out(3),
                "arvalid": Out(1),
                "arready": In(1),
                "rdata": In(DATA_BITS),
                "rresp": In(2),
                "rvalid": In(1),
                "rready": Out(1),
            }
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AxiLiteSignature) and self._address_bits == other._address_bits

    def __repr__(self) -> str:
        return f"AxiLiteSignature({self._address_bits})"
