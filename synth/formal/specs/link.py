"""Properties of the link: each payload arrives after exactly the latency, in order, in both directions."""

from __future__ import annotations

from functools import partial
from typing import Any

from amaranth.hdl import Signal, Value

from hdl.transfer.link import Link
from models.params import LinkParams, SwitchParams
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _in_order(proof: Proof, latency: int) -> None:
    params = SwitchParams(data_width=16)
    link = proof.inside(Link(params, LinkParams(latency=latency))).ports
    _delayed(proof, "flit", link.source.flit, link.sink.flit, latency)
    _delayed(proof, "credit", link.sink.credit, link.source.credit, latency)


def _delayed(proof: Proof, name: str, source: Any, sink: Any, latency: int) -> None:
    valid, payload = source.valid, Value.cast(source.payload)
    for step in range(latency):
        earlier_valid = Signal(name=f"{name}_valid_{step}")
        earlier = Signal(len(payload), name=f"{name}_{step}")
        proof.m.d.sync += [earlier_valid.eq(valid), earlier.eq(payload)]
        valid, payload = earlier_valid, earlier
    proof.claim(sink.valid == valid)
    with proof.m.If(valid):
        proof.claim(Value.cast(sink.payload) == payload)


_CLAIM = "flits and credits arrive {}, each once and in order; reset clears those in flight"
_FILE = "hdl/lib/delay.py"

# A line of `latency` cycles has lost its initial state after `latency` cycles: an induction that long needs no
# invariants.
PROPERTIES = [
    Property(
        "link: wires",
        _CLAIM.format("in the same cycle"),
        partial(_in_order, latency=0),
        Fault(
            _FILE,
            "m.d.comb += self.sink.valid.eq(self.source.valid)",
            "m.d.sync += self.sink.valid.eq(self.source.valid)",
        ),
        depth=2,
        fast=False,
    ),
    Property(
        "link: registers",
        _CLAIM.format("3 cycles later"),
        partial(_in_order, latency=3),
        Fault(_FILE, "payload = stage", "payload = stage if k else payload"),
        depth=6,
        fast=False,
    ),
    Property(
        "link: memory",
        _CLAIM.format("9 cycles later"),
        partial(_in_order, latency=9),
        Fault(_FILE, "words = cycles - 1", "words = cycles - 2"),
        depth=12,
    ),
]
