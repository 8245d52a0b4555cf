"""Properties of the CRC hash: the remainder of the tag times x^n modulo the polynomial, by long division."""

from __future__ import annotations

from functools import partial

from amaranth.asserts import AnySeq
from amaranth.hdl import C, Cat, Mux, Signal, Value

from hdl.route.crc_hash import CrcHash
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _remainder(proof: Proof, polynomial: int, width: int) -> None:
    crc = proof.inside(CrcHash(polynomial, width)).ports
    degree = polynomial.bit_length() - 1
    rest: Value = C(0, degree)
    for step, digit in enumerate([*reversed(crc.tag), *[C(0, 1)] * degree]):
        # The next digit of the dividend comes down; subtract the divisor if it goes into the remainder.
        after = Signal(degree, name=f"rest_{step}")
        proof.m.d.comb += after.eq(Cat(digit, rest[:-1]) ^ Mux(rest[-1], C(polynomial, degree + 1)[:degree], 0))
        rest = after
    proof.claim(crc.crc == rest)


def _bit_by_bit(proof: Proof, polynomial: int, width: int) -> None:
    """Claim the CRC of 0, and how the CRC changes with each bit of any tag: hence all tags have the right CRC.

    A solver cannot invert the many XORs of the hash, but those of two tags that differ in one bit are common terms.
    """
    m = proof.m
    tag = Signal(width)
    m.d.comb += tag.eq(AnySeq(width))
    changes = [0, *(1 << k for k in range(width))]
    crcs = [proof.inside(CrcHash(polynomial, width), name=f"crc_{k}", driven=["tag"]).ports for k in range(width + 1)]
    for crc, change in zip(crcs, changes, strict=True):
        m.d.comb += crc.tag.eq(tag ^ change)
    with m.If(tag == 0):
        proof.claim(crcs[0].crc == 0)
    degree = polynomial.bit_length() - 1
    power = 1
    for _ in range(degree):
        power = _times_x(power, polynomial)
    for crc in crcs[1:]:
        proof.claim(crc.crc == crcs[0].crc ^ power)
        power = _times_x(power, polynomial)


def _times_x(remainder: int, polynomial: int) -> int:
    shifted = remainder << 1
    return shifted ^ polynomial if shifted >> polynomial.bit_length() - 1 else shifted


_CLAIM = "the CRC is the remainder of tag(x)·x^n modulo the polynomial, by long division ({})"
_FAULT = Fault("hdl/route/crc_hash.py", "remainder = polynomial ^ 1 << degree", "remainder = 1 << degree - 1")

PROPERTIES = [
    Property(
        "crc_hash: 16 bits by CRC-16/CCITT",
        _CLAIM.format("tags of 16 bits, 0x11021"),
        partial(_remainder, polynomial=0x11021, width=16),
        _FAULT,
        mutant_depth=1,
    ),
    Property(
        "crc_hash: 64 bits by CRC-32",
        "the CRC of 0 is 0, and if bit k of any tag changes, x^(k + n) modulo the polynomial is added to it: hence it "
        "is that remainder (tags of 64 bits, 0x104C11DB7)",
        partial(_bit_by_bit, polynomial=0x104C11DB7, width=64),
        Fault("hdl/route/crc_hash.py", "if remainder >> degree:", "if False:"),
        mutant_depth=1,
        fast=False,
    ),
]
