"""Property of the drop watch: it tells of each port that drops flits, in time, and of no other."""

from __future__ import annotations

from amaranth.asserts import AnySeq
from amaranth.hdl import Signal

from hdl.bus.drop_watch import WATCHED_BITS, DropWatch
from models.params import SwitchParams
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _tells(proof: Proof, params: SwitchParams, cycles: int) -> None:
    """Claim it for any one port, whose counter counts drops, at most one in a cycle; the others count anything."""
    m = proof.m
    watch = proof.inside(DropWatch(params), driven=["data", "free"]).ports
    port = proof.any_constant("port_watched", params.ports)
    drops, other = Signal(), Signal(WATCHED_BITS)
    m.d.comb += [drops.eq(AnySeq(1)), other.eq(AnySeq(WATCHED_BITS)), watch.free.eq(AnySeq(1))]
    taken = Signal()
    m.d.sync += taken.eq(~watch.free)
    proof.assume(~taken | watch.free)

    count, read = Signal(WATCHED_BITS), Signal(WATCHED_BITS)
    is_own = Signal()
    m.d.sync += [count.eq(count + drops), read.eq(count), is_own.eq(watch.port == port)]
    with m.If(is_own):
        m.d.comb += watch.data.eq(read)
    with m.Else():
        m.d.comb += watch.data.eq(other)

    told = Signal()
    m.d.comb += told.eq(watch.dropped.bit_select(port, 1))
    before, waited = Signal(WATCHED_BITS), Signal(range(cycles + 2))
    with m.If(told):
        proof.claim(read != before)
        m.d.sync += before.eq(read)
    with m.If(told | (count == before)):
        m.d.sync += waited.eq(0)
    with m.Else():
        m.d.sync += waited.eq(waited + 1)
    proof.claim(waited <= cycles)


PROPERTIES = [
    Property(
        "drop_watch: every drop is told",
        "a port that drops a flit is told within 7 cycles, if the counters can be read in every other cycle; a port "
        "that dropped none is not (3 ports)",
        lambda proof: _tells(proof, SwitchParams(ports=3, vcs=1, depth=2, counter_width=8), 7),
        Fault("hdl/bus/drop_watch.py", "self.port == params.ports - 1", "self.port == params.ports - 2"),
        mode="bmc",
        depth=18,
        mutant_depth=18,
    ),
]
