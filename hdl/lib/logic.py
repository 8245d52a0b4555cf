"""Combinational functions that several components share, written so that they map to few LUTs.

Not a component: `models/jit/bits.py` has their models, and a bench compares each function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value, ValueLike

from models.params import index_width

# Up to this width in bits, a successor is a truth table (one LUT4 per bit); above, an adder with its carry chain. Up to
# it, bits are selected by comparisons; above, by shifts, which need as many LUTs and one line of Verilog.
_TABLE_BITS = 4


def successor(value: Value, modulus: int) -> Value:
    """Return `value` + 1, wrapping at `modulus`."""
    if modulus == 1:
        return C(0, len(value))
    bits = len(value)
    table = bits <= _TABLE_BITS
    up = Cat(value[k] ^ value[:k].all() for k in range(bits)) if table else (value + 1)[:bits]
    if modulus == 1 << bits:
        return up
    return Mux(value == modulus - 1, 0, up)[:bits]


@cache
def ring(length: int) -> list[int]:
    """Return `length` different codes, from 0, in the order in which a ring counter (`ring_next`) steps through them.

    Up to 4 bits: a shift register with one LUT4 of feedback, for any length. Above: a binary counter.
    """
    bits = index_width(length)
    if bits > _TABLE_BITS:
        return list(range(length))

    def search(path: list[int]) -> list[int] | None:
        if len(path) == length:
            return path if path[-1] << 1 & (1 << bits) - 1 == 0 else None
        for feedback in (0, 1):
            code = (path[-1] << 1 | feedback) & (1 << bits) - 1
            if code not in path and (found := search([*path, code])):
                return found
        return None

    codes = search([0])
    assert codes is not None, "there is a ring of every length up to 16"
    return codes


def ring_next(code: Value, length: int) -> Value:
    """Return the successor of `code` in `ring(length)`."""
    if len(code) > _TABLE_BITS:
        return successor(code, length)
    if length == 1:
        return code
    codes = ring(length)
    ones = [code == codes[k] for k in range(length) if codes[(k + 1) % length] & 1]
    return Cat(Cat(ones).any(), code[:-1])


def one_hot(index: Value, count: int) -> Value:
    """Return `count` bits of which only bit `index` is 1; 0 if `index` is out of range."""
    if len(index) > _TABLE_BITS:
        return (C(1, 1) << index)[:count]
    return Cat(index == k for k in range(count))


def select_bit(index: Value, bits: Value) -> Value:
    """Return bit `index` of `bits`; undefined if out of range."""
    if len(index) > _TABLE_BITS:
        return bits.bit_select(index, 1)
    return select_index(index, list(bits))


def encode(hot: Sequence[ValueLike], bits: int) -> Value:
    """Return the number of the only bit of `hot` that is 1, in `bits` bits; 0 if none is."""
    return Cat(Cat(bit for k, bit in enumerate(hot) if k >> b & 1).any() for b in range(bits))


def select_hot(hot: Sequence[ValueLike], values: Sequence[Value]) -> Value:
    """Return the value whose bit of `hot` is 1, as AND-OR; 0 if none is."""
    width = max(len(value) for value in values)
    terms = [value & Value.cast(bit).replicate(width) for bit, value in zip(hot, values, strict=True)]
    return balanced_or(terms)


def balanced_or(terms: Sequence[Value]) -> Value:
    """Return the OR of `terms` as a balanced tree."""
    terms = list(terms)
    while len(terms) > 1:
        pairs = [terms[k] | terms[k + 1] for k in range(0, len(terms) - 1, 2)]
        terms = pairs + terms[len(pairs) * 2 :]
    return terms[0]


def select_index(index: Value, values: Sequence[Value | None]) -> Value:
    """Return values[index]; undefined where that is None or out of range."""
    values = list(values)
    for bit in index:
        values = [_select_pair(bit, *values[k : k + 2]) for k in range(0, len(values), 2)]
    if values[0] is None:
        raise ValueError("no value to select")
    return values[0]


def _select_pair(bit: Value, low: Value | None, high: Value | None = None) -> Value | None:
    if low is None or high is None:
        return high if low is None else low
    return Mux(bit, high, low)


def weight(bits: Sequence[Value]) -> Value:
    """Return the number of `bits` that are 1, from full adders of two LUTs each, without a carry chain."""
    total, column = [], list(bits)
    while column:
        carries = []
        while len(column) > 1:
            a, b, *rest = column[:3]
            carries.append(a & b | (a | b) & rest[0] if rest else a & b)
            column = [*column[3:], a ^ b ^ rest[0] if rest else a ^ b]
        total += column
        column = carries
    return Cat(total)


def first_cyclic(m: Module, bits: Value, start: Value, name: str) -> tuple[Value, Value]:
    """Return whether any of `bits` is 1, and the number of the first such bit in cyclic order from `start`.

    The number has at least one bit, and is undefined if no bit is 1. Signals made in `m` are named `name`_….
    """
    if len(bits) == 1:
        return bits[0], C(0, 1)
    block = _first(m, bits, 0, start, name)
    return block.found, Mux(block.above, block.first_above, block.first)


@dataclass(frozen=True)
class _Block:
    """A block of bits from `begin` on: whether any is 1, and its number; the same for the bits from the start on."""

    found: Value
    first: Value | None
    above: Value
    first_above: Value | None


def _first(m: Module, bits: Value, begin: int, start: Value, name: str) -> _Block:
    if len(bits) == 1:
        # All bits of `start` are used up: a block of one bit has none below the start. Its number has no bits.
        return _Block(bits[0], None, bits[0], None)
    level = (len(bits) - 1).bit_length() - 1
    half = 1 << level
    low = _first(m, bits[:half], begin, start, name)
    high = _first(m, bits[half:], begin + half, start, name)

    def wire(what: str, value: Value) -> Signal:
        signal = Signal(len(value), name=f"{name}_{what}_{begin}_{len(bits)}")
        m.d.comb += signal.eq(value)
        return signal

    def number(is_low: Value, of_low: Value | None, of_high: Value | None) -> Value:
        if of_low is None:
            return ~is_low
        of_high = C(0, level) if of_high is None else Cat(of_high, C(0, level - len(of_high)))[:level]
        return Cat(Mux(is_low, of_low, of_high), ~is_low)

    top = start[level]
    in_low = ~top & low.above
    either = low.first is not None and high.first is not None
    of_high = Mux(top, high.first_above, high.first) if either else high.first
    return _Block(
        wire("any", low.found | high.found),
        wire("first", number(low.found, low.first, high.first)),
        wire("above", Mux(top, high.above, low.above | high.found)),
        wire("first_above", number(in_low, low.first_above, of_high)),
    )
