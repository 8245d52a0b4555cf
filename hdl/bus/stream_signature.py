"""Signatures of AXI4-Streams into and out of a switch.

Plumbing: no behaviour, so neither model nor bench.
"""

from __future__ import annotations

from typing import ClassVar

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.streams import user_bits
from hdl.formats import Meaning
from models.params import SwitchParams

_WORD = {
    "tvalid": Meaning("1 if there is a word in this cycle", "held, with the word, until a cycle in which tready is 1"),
    "tdata": Meaning("word, one flit behind the header", "with tvalid"),
    "tkeep": Meaning("all 1; all 0 in the only word of a packet without data", "with tvalid"),
    "tlast": Meaning("1 in the last word of a packet", "with tvalid"),
}


class _Stream(wiring.Signature):
    """What streams in both directions have, as seen by the sender; `beside` are widths of what is beside a word."""

    def __init__(self, width: int, beside: dict[str, int]) -> None:
        word = {"tvalid": Out(1), "tready": In(1), "tdata": Out(width), "tkeep": Out(width // 8), "tlast": Out(1)}
        super().__init__(word | {name: Out(bits) for name, bits in beside.items() if bits})

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.members == other.members

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self.members)})"


class InputStream(_Stream):
    """An AXI4-Stream of packets into a switch, as seen by its sender.

    Members
    -------
    tvalid : Out(1)
    tready : In(1)
    tdata : Out(data_width)
    tkeep : Out(data_width / 8)
    tlast : Out(1)
    tdest : Out(tag_width)
    tuser : Out(user_bits)
        Only if the header has bits above the tag.
    """

    meanings: ClassVar[dict[str, Meaning]] = _WORD | {
        "tready": Meaning("1 if the word is taken in this cycle", "depends on no input of the same cycle"),
        "tdest": Meaning("destination tag of the packet", "with tvalid, in the first word of a packet"),
        "tuser": Meaning("bits of the header above the tag", "with tvalid, in the first word of a packet"),
    }

    def __init__(self, params: SwitchParams) -> None:
        super().__init__(params.data_width, {"tdest": params.tag_width, "tuser": user_bits(params)})


class OutputStream(_Stream):
    """An AXI4-Stream of packets out of a switch, as seen by its sender.

    Members
    -------
    tvalid : Out(1)
    tready : In(1)
    tdata : Out(data_width)
    tkeep : Out(data_width / 8)
    tlast : Out(1)
    tuser : Out(header_flits · data_width)
    tid : Out(vc_bits)
        Only without `whole`.
    """

    meanings: ClassVar[dict[str, Meaning]] = _WORD | {
        "tready": Meaning("1 if the word is taken in this cycle", "the switch waits for it, and drops nothing"),
        "tuser": Meaning("header of the packet, its tag in the lowest bits", "with tvalid, in all words of a packet"),
        "tid": Meaning("virtual channel; packets of different ones alternate", "with tvalid"),
    }

    def __init__(self, params: SwitchParams, *, whole: bool = False) -> None:
        beside = {"tuser": params.header_flits * params.data_width, "tid": 0 if whole else params.vc_bits}
        super().__init__(params.data_width, beside)
