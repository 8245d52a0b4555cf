"""CRC of a destination tag, which indexes the route cache (paper A, section 3; microarchitecture.md, section 6)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


def matrix(polynomial: int, width: int) -> list[int]:
    """Return, for each of the `width` input bits k, the remainder of x^(k + degree) modulo `polynomial`."""
    degree = polynomial.bit_length() - 1
    remainder = polynomial ^ 1 << degree
    columns = []
    for _ in range(width):
        columns.append(remainder)
        remainder <<= 1
        if remainder >> degree:
            remainder ^= polynomial
    return columns


class CrcHash(wiring.Component):
    """CRC of a tag, combinational: tag(x)·x^n modulo the polynomial; no reflection, initial value and final XOR 0.

    Parameters
    ----------
    polynomial : int
        Generator polynomial, leading term included.
    width : int
        Width of the tag in bits.
    bits : int, optional
        Low bits of the remainder to output; all by default.

    Ports
    -----
    tag : In(width)
    crc : Out(bits)
        In the same cycle.
    """

    def __init__(self, polynomial: int, width: int, bits: int | None = None) -> None:
        degree = polynomial.bit_length() - 1
        if degree < 1:
            raise ValueError(f"polynomial = {polynomial:#x}: must have a degree of at least 1")
        if width < 1:
            raise ValueError(f"width = {width}: must be at least 1")
        if bits is None:
            bits = degree
        if not 1 <= bits <= degree:
            raise ValueError(f"bits = {bits}: must be 1 to the polynomial's degree, {degree}")
        self._columns = matrix(polynomial, width)
        super().__init__({"tag": In(width), "crc": Out(bits)})

    def elaborate(self, platform: object) -> Module:
        """Build one XOR tree per bit of the remainder."""
        m = Module()
        for bit in range(len(self.crc)):
            terms = [self.tag[k] for k, column in enumerate(self._columns) if column >> bit & 1]
            m.d.comb += self.crc[bit].eq(Cat(terms).xor() if terms else C(0))
        return m
