"""Parameters of network planes (Hosomi et al., 2021: paper D), and their algebra over GF(2).

A plane is a network of 2^n switches in which x is a neighbour of x ⊕ h for each of its generators h. If n generators
are a basis of GF(2)^n, the plane is a hypercube in other coordinates; with one more generator it is a folded hypercube
(T. Hosomi et al., Dual-plane Isomorphic Hypercube Networks, section 2.1).
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from models.params.parts import Params, index_width

MAX_ADDRESS_BITS = 17

# Echelon form: by length of a vector, the vector and the generators (as a mask) whose XOR it is.
_Rows = dict[int, tuple[int, int]]


class PlaneParams(Params):
    """The planes of a network, and how a node chooses among equally near planes.

    Parameters
    ----------
    bits : int
        Width n of a node's address in bits.
    planes : tuple of tuple of int
        Generators of each plane: a basis of n, and one more if the plane is folded; none stands for the unit basis 1,
        2, 4, ... (an ordinary hypercube).
    tie : {"lowest", "alternate", "hash"}
        Choice among the nearest planes: the first; each in turn; by parities of address bits.

    Raises
    ------
    pydantic.ValidationError
        Names the plane and the generator, if a generator is not an address, depends on others, or occurs twice.
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
        """Return the generators of a plane; for none given, the unit basis."""
        return self.planes[plane] or tuple(1 << bit for bit in range(self.bits))

    def inverse(self, plane: int) -> tuple[int, ...]:
        """Return, for each address bit, the mask of basis generators whose XOR is that bit alone."""
        rows = self._rows(plane)
        return tuple(_reduced(rows, 1 << bit)[1] for bit in range(self.bits))

    def fold(self, plane: int) -> int:
        """Return the mask of basis generators whose XOR is the last generator; 0 if the plane is not folded."""
        generators = self.generators(plane)
        return _reduced(self._rows(plane), generators[-1])[1] if len(generators) > self.bits else 0

    def _rows(self, plane: int) -> _Rows:
        return _echelon(f"planes[{plane}]", self.generators(plane)[: self.bits])

    @property
    def plane_bits(self) -> int:
        """Width of a plane number in bits."""
        return index_width(len(self.planes))

    @property
    def route_bits(self) -> int:
        """Width of a route value in bits: one bit per generator of the plane with most generators."""
        return max(len(self.generators(plane)) for plane in range(len(self.planes)))

    @property
    def distance_bits(self) -> int:
        """Width of a distance in bits; a distance is at most `bits`."""
        return index_width(self.bits + 1)


def check_generators(name: str, generators: tuple[int, ...], bits_name: str, bits: int) -> None:
    """Refuse generators that are neither a basis of GF(2)^n nor a basis and one more generator.

    Parameters
    ----------
    name, bits_name : str
        Names of the generators, and of the address width, in messages.
    generators : tuple of int
        Generators of one plane.
    bits : int
        Width n of an address in bits.

    Raises
    ------
    ValueError
        Names the generator that is not an address, depends on others, or occurs twice.
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
        If they depend on each other; names the first one that depends on those before it.
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
    """Return `vector` reduced until no row is as long, and the generators (as a mask) whose XOR was subtracted."""
    taken = 0
    while vector.bit_length() in rows:
        row, parts = rows[vector.bit_length()]
        vector ^= row
        taken ^= parts
    return vector, taken
