"""The functions of `hdl.lib.logic`, side by side in one component."""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import (
    balanced_or,
    encode,
    first_cyclic,
    one_hot,
    ring_next,
    select_bit,
    select_hot,
    select_index,
    successor,
    weight,
)
from models.params import index_width

WIDTH = 5


class Functions(wiring.Component):
    """All functions, for `count` bits, values or codes.

    Parameters
    ----------
    count : int

    Ports
    -----
    bits, number, code : In(count), In, In
        Arguments; `code` is one of `hdl.lib.logic.ring`.
    values : In(WIDTH).array(count)
        Values among which to select.
    found, first : Out(1), Out
        Result of `first_cyclic`, from `number`.
    next_number, next_code, hot, any, weight : Out
        Results of `successor`, `ring_next`, `one_hot`, `balanced_or`, `weight`.
    encoded, by_index, by_hot, selected : Out
        Results of `encode` and `select_hot` on the one-hot number, of `select_index`, and of `select_bit` on `bits`.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        index = index_width(count)
        super().__init__(
            {
                "bits": In(count),
                "number": In(index),
                "code": In(index),
                "values": In(WIDTH).array(count),
                "found": Out(1),
                "first": Out(index),
                "next_number": Out(index),
                "next_code": Out(index),
                "hot": Out(count),
                "any": Out(1),
                "weight": Out(index_width(count + 1)),
                "encoded": Out(index),
                "by_index": Out(WIDTH),
                "by_hot": Out(WIDTH),
                "selected": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build them."""
        m = Module()
        count, values = self._count, list(self.values)
        found, first = first_cyclic(m, self.bits, self.number, "first")
        m.d.comb += [self.found.eq(found), self.first.eq(first)]
        m.d.comb += self.next_number.eq(successor(self.number, count))
        m.d.comb += self.next_code.eq(ring_next(self.code, count))
        m.d.comb += self.hot.eq(one_hot(self.number, count))
        m.d.comb += self.any.eq(balanced_or(list(self.bits)))
        m.d.comb += self.weight.eq(weight(list(self.bits)))
        m.d.comb += self.encoded.eq(encode(list(self.hot), len(self.encoded)))
        m.d.comb += self.by_index.eq(select_index(self.number, values))
        m.d.comb += self.by_hot.eq(select_hot(list(self.hot), values))
        m.d.comb += self.selected.eq(select_bit(self.number, self.bits))
        return m
