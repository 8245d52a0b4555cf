"""CRC hash: the remainder of the tag, shifted by the degree, modulo the polynomial, found by long division."""

from __future__ import annotations

from functools import partial

from amaranth.hdl import C, Cat, Mux, Signal, Value

from hdl.crc_hash import CrcHash
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _remainder(proof: Proof, polynomial: int, width: int) -> None:
    crc = proof.inside(CrcHash(polynomial, width)).ports
    degree = polynomial.bit_length() - 1
    rest: Value = C(0, degree)
    for step, digit in enumerate([*reversed(crc.tag), *[C(0, 1)] * degree]):
        # One digit of the dividend comes down; if the divisor goes into what is left then, it is taken away.
        after = Signal(degree, name=f"rest_{step}")
        proof.m.d.comb += after.eq(Cat(digit, rest[:-1]) ^ Mux(rest[-1], C(polynomial, degree + 1)[:degree], 0))
        rest = after
    proof.claim(crc.crc == rest)


def _two_bits(proof: Proof, polynomial: int, width: int) -> None:
    """Claim the same of tags with at most two bits: the whole of a wide one has too many XORs for a solver to undo."""
    m = proof.m
    crc = proof.inside(CrcHash(polynomial, width), driven=["tag"]).ports
    degree = polynomial.bit_length() - 1
    bits = [proof.any_constant(name, width) for name in ("one", "other")]
    parts = [Signal(degree, name=f"part_{k}") for k in range(2)]
    power = 1
    for place in range(width + degree):
        for bit, part in zip(bits, parts, strict=True):
            with m.If(bit + degree == place):
                m.d.comb += part.eq(power)
        # x^place modulo the polynomial.
        power = power << 1 ^ (polynomial if power >> degree - 1 else 0)
    m.d.comb += crc.tag.eq((1 << bits[0]) ^ (1 << bits[1]))
    proof.claim(crc.crc == parts[0] ^ parts[1])


_CLAIM = "the CRC is the remainder of tag(x)·x^n modulo the polynomial, by long division ({})"
_FAULT = Fault("hdl/crc_hash.py", "remainder = polynomial ^ 1 << degree", "remainder = 1 << degree - 1")

PROPERTIES = [
    Property(
        "crc_hash: 16 bits by CRC-16/CCITT",
        _CLAIM.format("tags of 16 bits, 0x11021"),
        partial(_remainder, polynomial=0x11021, width=16),
        _FAULT,
        mutant_depth=1,
    ),
    Property(
        "crc_hash: 64 bits by CRC-32, two of them 1",
        "the CRC is that remainder of tags of 64 bits of which at most two are 1 (0x104C11DB7)",
        partial(_two_bits, polynomial=0x104C11DB7, width=64),
        Fault("hdl/crc_hash.py", "if remainder >> degree:", "if False:"),
        mutant_depth=1,
        fast=False,
    ),
]
