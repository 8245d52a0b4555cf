"""Properties of the miss unit: each waiting header gets, once, the answer to a request for its own tag."""

from __future__ import annotations

from functools import partial

from amaranth.hdl import Cat, Signal, Value

from hdl import formats
from hdl.route.miss_unit import MissUnit, Phase
from models.params import CacheParams, CamParams, SwitchParams
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _answers(proof: Proof, params: SwitchParams) -> None:
    m = proof.m
    inside = proof.inside(MissUnit(params), memories=["tags"], reads=2)
    unit = inside.ports
    slot = proof.any_constant("slot", params.slots)

    # The slot waits from its miss until its route is written; it is not handed over a second time.
    waits = Signal()
    tag = Signal(params.tag_width)
    missed = unit.miss_valid & (unit.miss_slot == slot)
    written = unit.walk_valid & (unit.walk_slot == slot)
    proof.assume(~missed | ~waits)
    proof.assume(unit.miss_slot < params.slots)
    with m.If(missed):
        m.d.sync += [waits.eq(1), tag.eq(unit.miss_tag)]
    with m.Elif(written):
        m.d.sync += waits.eq(0)

    # The last request and, when it is here, the answer; whether a flush came since.
    asked, answered, flushed = Signal(), Signal(), Signal()
    asked_tag = Signal(params.tag_width)
    answer = Signal.like(unit.answer)
    m.d.sync += flushed.eq(flushed | unit.flush)
    with m.If(unit.request_valid & unit.granted):
        m.d.sync += [asked.eq(1), answered.eq(0), asked_tag.eq(unit.request_tag), flushed.eq(unit.flush)]
    with m.If(unit.answer_valid):
        m.d.sync += [asked.eq(0), answered.eq(1), answer.eq(unit.answer)]
    proof.assume(~unit.answer_valid | asked)
    proof.claim(~(unit.request_valid & asked))
    with m.If(unit.walk_valid):
        proof.claim(unit.walk_slot < params.slots)
        proof.claim(answered & ~unit.direct_write & (unit.walk_drop == ~answer.found))
        proof.claim(Cat(unit.walk_route[field] == answer[field] for field in formats.route(params).members).all())
    with m.If(written):
        proof.claim(waits & (tag == asked_tag))
    with m.If(unit.fill_valid):
        proof.claim(unit.answer_valid & unit.answer.found & ~flushed & (unit.fill_tag == asked_tag))
        fields = formats.route(params).members
        proof.claim(Cat(unit.fill_route[field] == unit.answer[field] for field in fields).all())

    phase = inside.register("phase")
    wait, walk = (phase == step.value for step in (Phase.WAIT, Phase.WALK))
    # No slot is forgotten: while one waits, its tag or another is requested, or an answer is being handed out.
    proof.claim(~waits | unit.request_valid | asked | walk)
    pend, exam = inside.register("pend"), inside.register("exam")
    proof.invariant(pend.bit_select(slot, 1) == waits)
    proof.invariant(~(walk & exam.bit_select(slot, 1)) | waits)
    proof.invariant(asked == wait)
    with m.If(waits):
        proof.invariant(inside.row(m, "tags", slot) == tag)
    with m.If(wait | walk):
        proof.invariant(inside.register("active_tag") == asked_tag)
        proof.invariant(~flushed | inside.register("stale"))
    with m.If(walk):
        proof.invariant(answered & (inside.register("answer") == Value.cast(answer)))


_FILE = "hdl/route/miss_unit.py"
_CLAIM = (
    "a slot that was handed over gets one route, in a cycle without a direct write: the answer to the last request, "
    "which was for its tag; at most one request is outstanding; while a slot waits, a request is outstanding or an "
    "answer is being distributed; the cache is filled with that answer, if found, and not after a flush ({})"
)

PROPERTIES = [
    Property(
        "miss_unit: answers, with cache",
        _CLAIM.format("4 slots"),
        partial(_answers, params=SwitchParams(depth=2, cam=CamParams(entries=2))),
        Fault(_FILE, "(tag_read.data == active_tag)", "(tag_read.data[1:] == active_tag[1:])"),
    ),
    Property(
        "miss_unit: answers, without cache",
        _CLAIM.format("9 slots, no cache"),
        partial(_answers, params=SwitchParams(vcs=3, depth=3, cache=CacheParams(entries=0))),
        Fault(_FILE, "walk & found & ~self.direct_write", "walk & found"),
        fast=False,
    ),
]
