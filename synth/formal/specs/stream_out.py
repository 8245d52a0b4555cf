"""Properties of a stream out of a port: words wait unchanged; each is a flit that came, once and in order."""

from __future__ import annotations

from functools import partial

from amaranth.hdl import Cat, Mux, Signal

from hdl.bus.stream_out import StreamOut
from models.params import SwitchParams
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _stable(proof: Proof, params: SwitchParams, whole: bool = False) -> None:
    m = proof.m
    unit = proof.inside(StreamOut(params, whole=whole)).ports
    stream = unit.stream
    word = Cat(getattr(stream, name) for name in stream.signature.members if name not in ("tvalid", "tready"))
    waits, before = Signal(), Signal(len(word))
    m.d.sync += [waits.eq(stream.tvalid & ~stream.tready), before.eq(word)]
    with m.If(waits):
        proof.claim(stream.tvalid & (word == before))


def _words(proof: Proof, params: SwitchParams, whole: bool = False) -> None:
    """Claim what the stream and the credits are when a flit of a VC leaves, against a queue of its flits."""
    m, depth, flits, width = proof.m, params.depth, params.header_flits, params.data_width
    unit = proof.inside(StreamOut(params, whole=whole)).ports
    stream, flit, credit = unit.stream, unit.link.flit, unit.link.credit
    vc = proof.any_constant("vc", params.vcs)
    comes = flit.valid & (flit.payload.vc == vc)
    leaves = credit.valid & (credit.payload.vc == vc)
    proof.assume(flit.payload.vc < params.vcs)

    # Flits of the VC whose credits have not returned, the first one lowest.
    held = Signal(range(depth + 1))
    size = width + 1
    queue = Signal(depth * size)
    proof.assume(~comes | (held < depth))
    behind = (queue >> size * 1) if depth > 1 else 0
    stays = Mux(leaves, behind, queue)
    place = held - leaves
    m.d.sync += [held.eq(held + comes - leaves), queue.eq(stays)]
    for number in range(depth):
        with m.If(comes & (place == number)):
            m.d.sync += queue.word_select(number, size).eq(Cat(flit.payload.tail, flit.payload.data))
    tail, data = queue[0], queue[1:size]

    part = Signal(range(flits + 1))
    header = Signal(flits * width)
    here = Signal(flits * width)
    is_header = part < flits
    m.d.comb += here.eq(header)
    for number in range(flits):
        with m.If(leaves & (part == number)):
            m.d.comb += here.word_select(number, width).eq(data)
    m.d.sync += header.eq(here)
    with m.If(leaves):
        m.d.sync += part.eq(Mux(tail, 0, Mux(is_header, part + 1, part)))

    waits = Signal()
    m.d.sync += waits.eq(stream.tvalid & ~stream.tready)
    fresh = stream.tvalid & ~waits
    proof.claim(~leaves | (held > 0))
    proof.claim(~fresh | credit.valid)
    with m.If(leaves):
        proof.claim(fresh == (~is_header | tail))
        with m.If(fresh):
            proof.claim(stream.tlast == tail)
            proof.claim(stream.tkeep == (~is_header).replicate(width // 8))
            proof.claim(is_header | (stream.tdata == data))
            proof.claim((part < flits - 1) | (stream.tuser == here))
            if not whole:
                proof.claim(stream.tid == vc)
    if whole:
        with m.If(part > 0):
            proof.claim(~credit.valid | leaves)


_FILE = "hdl/bus/stream_out.py"
_CLAIM = (
    "of each VC, every flit gives one credit, header flits the header of the words behind them, and every other flit "
    "one word, in order{} ({})"
)
_NARROW = SwitchParams(data_width=8, depth=2)
_WHOLE = SwitchParams(data_width=16, depth=3, buffering="dynamic", max_packet=3)

PROPERTIES = [
    Property(
        "stream_out: words wait",
        "while the stream is not ready, a word stays valid, and all that is with it the same (2 VCs of 2, two header "
        "flits)",
        partial(_stable, params=_NARROW),
        Fault(_FILE, "pop.eq(found & (~stream.tvalid | stream.tready))", "pop.eq(found)"),
    ),
    Property(
        "stream_out: words wait, whole packets",
        "while the stream is not ready, a word stays valid, and all that is with it the same (2 VCs of 3, whole "
        "packets)",
        partial(_stable, params=_WHOLE, whole=True),
        Fault(_FILE, "with m.If(~stream.tvalid | stream.tready):", "with m.If(1):"),
    ),
    Property(
        "stream_out: words and credits",
        _CLAIM.format("", "2 VCs of 2, two header flits"),
        partial(_words, params=_NARROW),
        Fault(_FILE, "pop & (~of_header | tail)", "pop & ~of_header"),
        mode="bmc",
        depth=10,
    ),
    Property(
        "stream_out: words and credits, whole packets",
        _CLAIM.format("; none of another packet between those of one", "2 VCs of 3, whole packets"),
        partial(_words, params=_WHOLE, whole=True),
        Fault(_FILE, "held.eq(~buffer.front.tail)", "held.eq(0)"),
        mode="bmc",
        depth=10,
    ),
]
