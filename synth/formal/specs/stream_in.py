"""Properties of a stream into a port: what is on the link is what was on the stream, within the credits."""

from __future__ import annotations

from functools import partial

from amaranth.hdl import Cat, Mux, Signal, Value

from hdl.bus.stream_in import StreamIn
from hdl.lib.logic import select_index
from models.params import SwitchParams
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _flits(proof: Proof, params: SwitchParams) -> None:
    m, depth, flits = proof.m, params.depth, params.header_flits
    inside = proof.inside(StreamIn(params))
    unit = inside.ports
    stream, flit = unit.stream, unit.link.flit
    word = Cat(getattr(stream, name) for name in stream.signature.members if name not in ("tvalid", "tready"))

    # The stream of the cycle before, in which a flit was decided that is on the link now.
    waits, took = Signal(), Signal()
    before = Signal(len(word))
    header = Signal(flits * params.data_width)
    data, keep = Signal(params.data_width), Signal(params.data_width // 8)
    last = Signal()
    m.d.sync += [waits.eq(stream.tvalid & ~stream.tready), took.eq(stream.tvalid & stream.tready), before.eq(word)]
    m.d.sync += [data.eq(stream.tdata), keep.eq(stream.tkeep), last.eq(stream.tlast)]
    m.d.sync += header.eq(Cat(stream.tdest, stream.tuser) if "tuser" in stream.signature.members else stream.tdest)
    proof.assume(~waits | (stream.tvalid & (word == before)))

    vc = proof.any_constant("vc", params.vcs)
    mine = flit.valid & (flit.payload.vc == vc)
    back = unit.link.credit.valid & (unit.link.credit.payload.vc == vc)
    away = Signal(range(depth + 2))
    m.d.sync += away.eq(away + mine - back)
    proof.assume(~back | (away > 0))

    # Flits of the packet before this cycle, at most as many as count; whether words behind its end are left.
    most = params.max_packet or flits
    sent = Signal(range(most + 1))
    rest = Signal()
    owner = Signal(params.vc_bits)
    is_header, limit = sent < flits, (sent == params.max_packet - 1) if params.max_packet else Signal()
    ends = flit.valid & flit.payload.tail
    sent_now = Mux(ends, 0, Mux(flit.valid & (sent < most), sent + 1, sent))
    rest_now = Mux(ends, ~(took & last), rest & ~(took & last))
    m.d.sync += [sent.eq(sent_now), rest.eq(rest_now)]
    with m.If(flit.valid):
        m.d.sync += owner.eq(flit.payload.vc)

    proof.claim(~flit.valid | (flit.payload.vc < params.vcs))
    proof.claim(~mine | (away < depth))
    proof.claim(~mine | (sent > 0) | (away + params.credit_need <= depth))
    proof.claim(~flit.valid | (sent == 0) | (flit.payload.vc == owner))
    parts = [header[k * params.data_width :][: params.data_width] for k in range(flits)]
    with m.If(flit.valid & is_header):
        proof.claim(~took & ~rest)
        proof.claim(flit.payload.data == _select(sent, parts))
        proof.claim(flit.payload.tail == ((sent == flits - 1) & last & ~keep.any()))
    with m.Elif(flit.valid):
        proof.claim(took & ~rest)
        proof.claim(flit.payload.data == data)
        proof.claim(flit.payload.tail == (last | limit))
    with m.Else():
        proof.claim(~took | rest)
    is_word = flit.valid & ~is_header
    proof.claim(unit.error == (is_word & ((limit & ~last) | ~keep.all())))

    phase = inside.register("phase")
    proof.invariant(phase == Mux(rest_now, 2, sent_now >= flits))
    proof.invariant((inside.register("pointer") < params.vcs) & (inside.register("vc") < params.vcs))
    proof.invariant(inside.register("part") == Mux(sent_now < flits, sent_now, 0))
    proof.invariant(~rest | (sent == 0))
    with m.If(sent_now > 0):
        proof.invariant(inside.register("vc") == Mux(flit.valid, flit.payload.vc, owner))
    if params.max_packet:
        with m.If(phase == 1):
            proof.invariant(inside.register("left") == params.max_packet - 1 - sent_now)
    for each in range(params.vcs):
        with m.If(vc == each):
            proof.invariant(inside.register(f"credits_{each}") + away + mine == depth)


def _select(number: Value, values: list[Value]) -> Value:
    """Return a value of a list by its number, of which the lowest bits suffice."""
    return select_index(number[: max(1, (len(values) - 1).bit_length())], values)


_FILE = "hdl/bus/stream_in.py"
_CLAIM = (
    "the header flits of a packet, once, then each word that is taken, once and in order, on one VC, within its "
    "credits; {} ({})"
)

PROPERTIES = [
    Property(
        "stream_in: flits, two of a header",
        _CLAIM.format("a packet without data has its tail in the header", "2 VCs of 2, words of 8 bits"),
        partial(_flits, params=SwitchParams(data_width=8, depth=2)),
        Fault(_FILE, "spend.eq(stream.tvalid & open_vc)", "spend.eq(stream.tvalid)"),
    ),
    Property(
        "stream_in: flits, packets of 4",
        _CLAIM.format(
            "a packet of 4 flits ends, its other words are taken and told as an error", "3 VCs of 6, words of 16 bits"
        ),
        partial(_flits, params=SwitchParams(vcs=3, data_width=16, depth=6, buffering="dynamic", max_packet=4)),
        Fault(_FILE, "level >= params.credit_need", "level >= params.credit_need - 1"),
    ),
]
