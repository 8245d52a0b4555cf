"""Rules of the AXI4-Streams of a switch, in words, for the page on its interface.

Plumbing: no behaviour, so neither model nor bench.
"""

from __future__ import annotations

from hdl.bus.streams import Streams, user_bits
from models.params import SwitchParams


def stream_rules(params: SwitchParams, streams: Streams) -> list[str]:
    """Return paragraphs on what a stream carries, what is an error, and which side waits."""
    return [_into(params), _errors(params), _out(params, streams)]


def _into(params: SwitchParams) -> str:
    flits, user = params.header_flits, user_bits(params)
    header = "`tdest` and `tuser` make" if user else "`tdest` makes"
    carry = "the header flit, which carries" if flits == 1 else f"{flits} header flits, which carry"
    return f"""
        A packet into the switch is the words of `s_axis_<i>` up to `tlast`. In its first word {header} {carry} no word
        of `tdata`; each word is one flit behind. `tdest` is the destination tag. A packet without data is one word with
        `tkeep` = 0 and `tlast` = 1. A packet stays on one VC, the next one that has
        {params.credit_need} credit{"s" if params.credit_need > 1 else ""}.
        """


def _errors(params: SwitchParams) -> str:
    text = """
        Words are whole: `tkeep` is all 1. Another word is sent as if it were whole, as the header has left before the
        length of the packet is known; `partial_words_<i>` counts it, and `stream_error` tells it.
        """
    if params.max_packet is None:
        return f"{text} A packet can have any number of words."
    return f"""{text}
        A packet has at most {params.max_packet - params.header_flits} words, {params.max_packet} flits with its header.
        A longer one ends there; its other words are taken and discarded. `long_packets_<i>` counts it, and
        `stream_error` tells it.
        """


def _out(params: SwitchParams, streams: Streams) -> str:
    order = (
        "Packets leave one after the other, each when it is stored to its end."
        if streams.whole
        else "Packets of different VCs alternate word by word; `tid` is the VC. Words of one `tid` are in order."
    )
    return f"""
        A packet out of the switch is the words of `m_axis_<i>` up to `tlast`. `tuser` is its header, header flit 0 in
        the lowest bits, hence the destination tag in bits {params.tag_width - 1}:0. {order} The stream has a buffer of
        {params.depth} flits for each VC. While it is not ready, the switch waits for credits: nothing is dropped.
        """
