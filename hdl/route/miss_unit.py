"""Miss unit of one input port: merges route-cache misses into CAM lookups (like MSHRs; Kroft, 1981).

Specification: microarchitecture.md, section 7.
"""

from __future__ import annotations

from enum import Enum

from amaranth.hdl import Module, Mux, Shape, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import first_cyclic, one_hot, successor
from models.params import SwitchParams


class Phase(Enum):
    """Phase of the miss unit."""

    IDLE = 0
    ASK = 1
    WAIT = 2
    WALK = 3


class MissUnit(wiring.Component):
    """Collects misses, looks up one tag at a time in the CAM, and answers all headers that wait for this tag.

    Parameters
    ----------
    params : SwitchParams
        With routing = "table".

    Ports
    -----
    miss_valid, miss_slot, miss_tag : In(1), In(slot_bits), In(tag_width)
        A header without a route: its slot of the route queue and its tag.
    request_valid, request_tag : Out(1), Out(tag_width)
        To the CAM; combinational from a miss.
    granted : In(1)
        The CAM interface takes the request.
    answer_valid, answer : In(1), In(port_answer)
        From the CAM.
    direct_write : In(1)
        The route queue is written by another source in this cycle: the walk waits.
    walk_valid, walk_slot, walk_route, walk_drop : Out(1), Out(slot_bits), Out(route), Out(1)
        The walk writes a route; `walk_drop`: the tag was not found.
    merged : Out(1)
        The slot that the walk writes is not the one whose tag was looked up.
    fill_valid, fill_tag, fill_route : Out(1), Out(tag_width), Out(route)
        To the cache.
    flush : In(1)
        An answer to a request from before a flush is not cached.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.has_cam:
            raise ValueError('MissUnit needs routing = "table"')
        self._params = params
        tag, slot, route = params.tag_width, params.slot_bits, formats.route(params)
        super().__init__(
            {
                "miss_valid": In(1),
                "miss_slot": In(slot),
                "miss_tag": In(tag),
                "request_valid": Out(1),
                "request_tag": Out(tag),
                "granted": In(1),
                "answer_valid": In(1),
                "answer": In(formats.port_answer(params)),
                "direct_write": In(1),
                "walk_valid": Out(1),
                "walk_slot": Out(slot),
                "walk_route": Out(route),
                "walk_drop": Out(1),
                "merged": Out(1),
                "fill_valid": Out(1),
                "fill_tag": Out(tag),
                "fill_route": Out(route),
                "flush": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the bits and tags of the slots, one cyclic search for both uses, and the phases."""
        m = Module()
        params = self._params
        slots = params.slots
        phase = Signal(Shape.cast(Phase))
        idle, ask, wait, walk = (phase == step.value for step in Phase)
        active_tag = Signal(params.tag_width, reset_less=True)
        stale = Signal()
        answer = Signal(formats.port_answer(params), reset_less=True)
        pend = Signal(slots)
        exam = Signal(slots)
        # The active slot if there is one; otherwise where the search starts.
        pointer = Signal(params.slot_bits)

        found = Signal()
        picked = Signal(params.slot_bits)
        considered = Signal(slots)
        m.d.comb += considered.eq(Mux(walk, exam, pend))
        any_set, first = first_cyclic(m, considered, pointer, "set")
        m.d.comb += found.eq(any_set)
        m.d.comb += picked.eq(first)
        m.submodules.tags = tags = memory.Memory(shape=params.tag_width, depth=slots, init=[])
        tag_write, tag_read = tags.write_port(), tags.read_port(domain="comb")
        m.d.comb += tag_write.en.eq(self.miss_valid)
        m.d.comb += tag_write.addr.eq(self.miss_slot)
        m.d.comb += tag_write.data.eq(self.miss_tag)
        m.d.comb += tag_read.addr.eq(picked)

        m.d.comb += self.request_valid.eq((idle & (found | self.miss_valid)) | ask)
        with m.If(~idle):
            m.d.comb += self.request_tag.eq(active_tag)
        with m.Elif(found):
            m.d.comb += self.request_tag.eq(tag_read.data)
        with m.Else():
            m.d.comb += self.request_tag.eq(self.miss_tag)

        examine = Signal()
        m.d.comb += examine.eq(walk & found & ~self.direct_write)
        m.d.comb += self.walk_valid.eq(examine & (tag_read.data == active_tag))
        m.d.comb += self.walk_slot.eq(picked)
        m.d.comb += self.walk_drop.eq(~answer.found)
        m.d.comb += self.merged.eq(self.walk_valid & (picked != pointer))
        m.d.comb += self.fill_valid.eq(wait & self.answer_valid & self.answer.found & ~stale)
        m.d.comb += self.fill_tag.eq(active_tag)
        for field in formats.route(params).members:
            m.d.comb += self.walk_route[field].eq(answer[field])
            m.d.comb += self.fill_route[field].eq(self.answer[field])

        missed = Signal(slots)
        at_picked = Signal(slots)
        pend_next = Signal(slots)
        exam_next = Signal(slots)
        m.d.comb += missed.eq(one_hot(self.miss_slot, slots) & self.miss_valid.replicate(slots))
        m.d.comb += at_picked.eq(one_hot(picked, slots))
        m.d.comb += pend_next.eq((pend & ~(at_picked & self.walk_valid.replicate(slots))) | missed)
        m.d.comb += exam_next.eq((exam & ~(at_picked & examine.replicate(slots))) | missed)
        m.d.sync += pend.eq(pend_next)
        with m.If(wait):
            m.d.sync += exam.eq(pend_next)
        with m.Elif(walk):
            m.d.sync += exam.eq(exam_next)

        # With a cache, a header may have missed just before the fill: it is handed over in the first WALK cycle.
        ripe = Signal(init=not params.has_cache)
        with m.If(idle):
            m.d.sync += stale.eq(self.flush)
            with m.If(self.request_valid):
                m.d.sync += pointer.eq(Mux(found, picked, self.miss_slot))
                m.d.sync += active_tag.eq(self.request_tag)
                m.d.sync += phase.eq(Mux(self.granted, Phase.WAIT.value, Phase.ASK.value))
        with m.Else():
            m.d.sync += stale.eq(stale | self.flush)
        with m.If(ask & self.granted):
            m.d.sync += phase.eq(Phase.WAIT.value)
        with m.If(wait & self.answer_valid):
            m.d.sync += answer.eq(self.answer)
            m.d.sync += phase.eq(Phase.WALK.value)
        if params.has_cache:
            m.d.sync += ripe.eq(walk)
        with m.If(walk & ripe & ~exam_next.any()):
            m.d.sync += pointer.eq(successor(pointer, slots))
            m.d.sync += phase.eq(Phase.IDLE.value)
        return m
