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
    """Claim what the stream and the credits are after a flit has left the buffer, whatever is in it."""
    m, flits, width = proof.m, params.header_flits, params.data_width
    headers = [f"headers_{number}" for number in range(flits)]
    inside = proof.inside(StreamOut(params, whole=whole), memories=headers, replaced=["vc_buffer"])
    stream, credit, buffer = inside.ports.stream, inside.ports.link.credit, inside.replaced["vc_buffer"]
    vc = proof.any_constant("vc", params.vcs)

    pops, of_vc, tail = Signal(), Signal(params.vc_bits), Signal()
    data = Signal(width)
    m.d.sync += [pops.eq(buffer.pop_valid), of_vc.eq(buffer.pop_vc)]
    m.d.sync += [tail.eq(buffer.front.tail), data.eq(buffer.front.data)]
    leaves = pops & (of_vc == vc)
    part, part_now = Signal(range(flits + 1)), Signal(range(flits + 1))
    header, header_now = (Signal(flits * width, name=name, reset_less=True) for name in ("header", "header_now"))
    is_header = part < flits
    m.d.comb += [part_now.eq(part), header_now.eq(header)]
    with m.If(leaves):
        m.d.comb += part_now.eq(Mux(tail, 0, Mux(is_header, part + 1, flits)))
    for number in range(flits):
        with m.If(leaves & (part == number)):
            m.d.comb += header_now.word_select(number, width).eq(data)
    m.d.sync += [part.eq(part_now), header.eq(header_now)]
    waits = Signal()
    m.d.sync += waits.eq(stream.tvalid & ~stream.tready)
    fresh = stream.tvalid & ~waits

    proof.claim(~buffer.pop_valid | buffer.nonempty.bit_select(buffer.pop_vc, 1))
    proof.claim(credit.valid == pops)
    proof.claim(~pops | ((credit.payload.vc == of_vc) & ~waits))
    proof.claim(~fresh | pops)
    with m.If(leaves):
        proof.claim(fresh == (~is_header | tail))
        with m.If(fresh):
            proof.claim(stream.tlast == tail)
            proof.claim(stream.tkeep == (~is_header).replicate(width // 8))
            proof.claim(is_header | (stream.tdata == data))
            proof.claim((part < flits - 1) | (stream.tuser == header_now))
            if not whole:
                proof.claim(stream.tid == vc)

    pointer = inside.register("pointer")
    proof.invariant((pointer < params.vcs) & (part <= flits))
    for number, rows in enumerate(headers):
        row = inside.row(m, rows, vc[: (params.vcs - 1).bit_length()])
        proof.invariant((part_now <= number) | (row == header_now.word_select(number, width)))
    for each in range(params.vcs):
        with m.If(vc == each):
            proof.invariant(inside.register(f"part_{each}") == part_now)
    if whole:
        proof.assume((buffer.whole & ~buffer.nonempty) == 0)
        held, holder = inside.register("held"), inside.register("holder")
        with m.If(part > 0):
            proof.claim(~pops | leaves)
        proof.invariant(holder < params.vcs)
        proof.invariant((part_now > 0) == (held & (holder == vc)))


_FILE = "hdl/bus/stream_out.py"
_CLAIM = (
    "each flit that leaves the buffer gives one credit; header flits give the header of the words behind them, and "
    "each other flit one word{}; nothing leaves an empty queue ({}; the buffer is replaced by any values)"
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
        _CLAIM.format("", "3 VCs, two header flits"),
        partial(_words, params=SwitchParams(vcs=3, data_width=8, depth=2)),
        Fault(_FILE, "pop & (~of_header | tail)", "pop & ~of_header"),
    ),
    Property(
        "stream_out: words and credits, whole packets",
        _CLAIM.format("; none of another packet between those of one", "2 VCs, whole packets"),
        partial(_words, params=_WHOLE, whole=True),
        Fault(_FILE, "held.eq(~buffer.front.tail)", "held.eq(0)"),
    ),
]
