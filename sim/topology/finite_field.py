"""Arithmetic of small finite fields, as tables (Lidl and Niederreiter, Finite Fields, chapters 2 and 9)."""

from __future__ import annotations

from itertools import product

import numpy as np

from sim.topology.base import Int64


def prime_power(number: int) -> tuple[int, int] | None:
    """Return p and e of a number p^e, p prime; None of others."""
    prime = next((d for d in range(2, number + 1) if number % d == 0), 0)
    exponent = 0
    while prime and number % prime == 0:
        number, exponent = number // prime, exponent + 1
    return (prime, exponent) if number == 1 and exponent else None


class FiniteField:
    """The field of q = p^e elements.

    An element is a polynomial of degree below e over the integers mod p, numbered by its coefficients as digits of base
    p; in a field of p elements it is thus its own number.

    Parameters
    ----------
    prime, exponent : int
        p and e.

    Attributes
    ----------
    powers : array [q - 1]
        Powers of a primitive element, from 1 on.
    sum, product : array [q, q]
        Sum and product of two elements.
    """

    def __init__(self, prime: int, exponent: int) -> None:
        order = prime**exponent
        place = prime ** np.arange(exponent)
        self.powers = _powers(prime, exponent) @ place
        digits = np.arange(order)[:, None] // place % prime
        self.sum: Int64 = (digits[:, None] + digits) % prime @ place
        self.product: Int64 = np.zeros((order, order), np.int64)
        power = np.arange(order - 1)
        self.product[np.ix_(self.powers, self.powers)] = self.powers[(power[:, None] + power) % (order - 1)]


def _powers(prime: int, exponent: int) -> Int64:
    """Return the powers of x modulo the first primitive polynomial, as coefficients [q - 1, e]."""
    for reduction in product(range(prime), repeat=exponent):  # the value of x^e
        powers = [(1, *[0] * (exponent - 1))]
        while len(powers) < prime**exponent - 1:
            top = powers[-1][-1]
            shifted = (0, *powers[-1][:-1])
            powers.append(tuple((low + top * more) % prime for low, more in zip(shifted, reduction, strict=True)))
        if len(set(powers)) == len(powers) and (0,) * exponent not in powers:
            return np.array(powers)
    raise AssertionError("every finite field has a primitive element")
