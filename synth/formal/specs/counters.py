"""Properties of the counters: each counts its own events, with all carries; the read port shows the one addressed."""

from __future__ import annotations

from functools import partial

from amaranth.hdl import Array, Cat, Signal

from hdl.counters import Counters
from models.formats import COUNTERS, Counter
from models.params import PredictionParams, SwitchParams
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _counts(proof: Proof, params: SwitchParams) -> None:
    """Claim what any one counter reads: the events of all cycles before, modulo 2 to the power of its width."""
    m = proof.m
    inside = proof.inside(Counters(params))
    counters = inside.ports
    port = proof.any_constant("port", params.ports)
    number = proof.any_constant("number", COUNTERS)
    row = Array(counters.events)[port]
    events = Signal(2)
    again = Array(counters.again)[port].bit_select(number, 1) if params.prediction else 0
    m.d.comb += events.eq(row.bit_select(number, 1) + again)

    total = Signal(params.counter_width)
    m.d.sync += total.eq(total + events)
    values = [Cat(inside.register(f"{each.name.lower()}_{p}") for each in Counter) for p in range(params.ports)]
    proof.invariant(Array(values)[port].word_select(number, params.counter_width) == total)

    addressed = Signal()
    before = Signal(params.counter_width)
    m.d.sync += [addressed.eq((counters.port == port) & (counters.number == number)), before.eq(total)]
    with m.If(addressed):
        proof.claim(counters.data == before)


_FILE = "hdl/counters.py"
_CLAIM = "any counter reads the number of its events before the cycle of the address, modulo 2^{} ({})"

PROPERTIES = [
    Property(
        "counters: 32 bits",
        _CLAIM.format(32, "2 ports, one event per cycle"),
        partial(_counts, params=SwitchParams(ports=2, vcs=1, depth=2, counter_width=32)),
        Fault(_FILE, "m.d.sync += value.eq(value + 1)", "m.d.sync += value.eq(value | 1)"),
    ),
    Property(
        "counters: 64 bits, two events",
        _CLAIM.format(64, "2 ports, up to two events per cycle"),
        partial(
            _counts,
            params=SwitchParams(ports=2, vcs=1, depth=2, counter_width=64, prediction=PredictionParams()),
        ),
        Fault(_FILE, "value + Cat(~both, both)", "value + Cat(~both, both & ~value[1])"),
    ),
]
