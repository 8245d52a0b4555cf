"""Parameters of the planes between which a node chooses, and what follows from them over GF(2).

A plane is a network of 2^n switches in which x is a neighbour of x ⊕ h for each of its generators h. It is a hypercube,
in other coordinates, if its n generators are a basis of GF(2)^n, and a folded one with one generator more (T. Hosomi et
al., Dual-plane Isomorphic Hypercube Networks, section 2.1).
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from models.params.parts import Params, index_width

MAX_ADDRESS_BITS = 16

# Of an echelon form: by the length of a vector, the vector and the generators (as a mask) of which it is the XOR.
_Rows = dict[int, tuple[int, int]]


class PlaneParams(Params):
    """The planes of a network and how a node chooses between equally short ways.

    Parameters
    ----------
    bits : int
        Bits n of a node's address.
    planes : tuple of tuple of int
        Each plane's generators: n that are a basis, and one more if the plane is folded; or none, which stands for the
        unit basis 1, 2, 4, ... (an ordinary hypercube).
    tie : {"lowest", "alternate", "hash"}
        Of the planes with the shortest way: the first; each in turn; as parities of address bits say.

    Raises
    ------
    pydantic.ValidationError
        Naming the plane and the generator, if a generator is not an address, depends on others, or is there twice.
    """

    bits: Annotated[int, Field(ge=1, le=MAX_ADDRESS_BITS)]
    planes: Annotated[tuple[tuple[int, ...], ...], Field(min_length=1)] = ((),)
    tie: Literal["lowest", "alternate", "hash"] = "lowest"

    @model_validator(mode="after")
    def _check(self) -> Self:
        for plane in range(len(self.planes)):
            check_generators(f"planes[{plane}]", self.generators(plane), "bits", self.bits)
        return self

    def generators(self, plane: int) -> tuple[int, ...]:
        """Return a plane's generators, the unit basis too."""
        return self.planes[plane] or tuple(1 << bit for bit in range(self.bits))

    def inverse(self, plane: int) -> tuple[int, ...]:
        """Return, for each bit of an address, the set of basis generators (as a mask) whose XOR is that bit alone."""
        rows = self._rows(plane)
        return tuple(_reduced(rows, 1 << bit)[1] for bit in range(self.bits))

    def fold(self, plane: int) -> int:
        """Return the set of basis generators (as a mask) whose XOR is the last one if the plane is folded; else 0."""
        generators = self.generators(plane)
        return _reduced(self._rows(plane), generators[-1])[1] if len(generators) > self.bits else 0

    def _rows(self, plane: int) -> _Rows:
        return _echelon(f"planes[{plane}]", self.generators(plane)[: self.bits])

    @property
    def plane_bits(self) -> int:
        """Bits of a plane's number."""
        return index_width(len(self.planes))

    @property
    def route_bits(self) -> int:
        """Bits of a route value: one a generator of the plane that has most."""
        return max(len(self.generators(plane)) for plane in range(len(self.planes)))

    @property
    def distance_bits(self) -> int:
        """Bits of a distance, which is `bits` at most."""
        return index_width(self.bits + 1)


def check_generators(name: str, generators: tuple[int, ...], bits_name: str, bits: int) -> None:
    """Refuse generators that are neither a basis of GF(2)^n nor a basis and one more.

    Parameters
    ----------
    name, bits_name : str
        What the generators, and the number of bits, are called in messages.
    generators : tuple of int
        Of one plane.
    bits : int
        Bits n of an address.

    Raises
    ------
    ValueError
        Naming the generator that is not an address, depends on others, or is there twice.
    """
    if len(generators) not in (bits, bits + 1):
        raise ValueError(
            f"{name} has {len(generators)} generators: must be {bits_name} = {bits}, one more if folded, or none"
        )
    for position, generator in enumerate(generators):
        if not 0 < generator < 1 << bits:
            raise ValueError(f"{name}: generator {generator} must be 1 to {(1 << bits) - 1}")
        if generator in generators[:position]:
            raise ValueError(f"{name}: generator {generator} is there twice")
    _echelon(name, generators[:bits])


def _echelon(name: str, generators: tuple[int, ...]) -> _Rows:
    """Return an echelon form of generators.

    Raises
    ------
    ValueError
        If they depend on each other, with the first that depends on those before it.
    """
    rows: _Rows = {}
    for number, generator in enumerate(generators):
        rest, parts = _reduced(rows, generator)
        if not rest:
            others = " ⊕ ".join(str(generators[k]) for k in range(number) if parts >> k & 1)
            raise ValueError(f"{name}: generator {generator} is {others}, so the generators are no basis")
        rows[rest.bit_length()] = rest, parts | 1 << number
    return rows


def _reduced(rows: _Rows, vector: int) -> tuple[int, int]:
    """Return what is left of a vector when no row is as long as it, and the generators whose XOR was taken away."""
    taken = 0
    while vector.bit_length() in rows:
        row, parts = rows[vector.bit_length()]
        vector ^= row
        taken ^= parts
    return vector, taken
