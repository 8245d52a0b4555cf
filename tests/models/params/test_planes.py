"""Algebra of planes against its definition, and every error message."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from models.params.planes import PlaneParams


def _xor(generators: tuple[int, ...], parts: int) -> int:
    total = 0
    for k, generator in enumerate(generators):
        total ^= generator if parts >> k & 1 else 0
    return total


def _rank(generators: tuple[int, ...], bits: int) -> int:
    """Return the dimension of the space spanned by generators, by enumeration."""
    return len({_xor(generators, parts) for parts in range(1 << bits)}).bit_length() - 1


@st.composite
def _generators(draw: Any) -> tuple[int, tuple[int, ...]]:
    bits = draw(st.integers(1, 6))
    return bits, tuple(draw(st.permutations(range(1, 1 << bits)))[:bits])


@given(_generators())
def test_a_plane_is_accepted_if_and_only_if_its_generators_are_a_basis(case: tuple[int, tuple[int, ...]]) -> None:
    bits, generators = case
    if _rank(generators, bits) < bits:
        with pytest.raises(ValidationError, match=r"planes\[1\]: generator \d+ is [\d ⊕]+, so"):
            PlaneParams(bits=bits, planes=((), generators))
        return
    params = PlaneParams(bits=bits, planes=((), generators))
    assert params.inverse(0) == tuple(1 << bit for bit in range(bits))
    for bit, parts in enumerate(params.inverse(1)):
        assert _xor(generators, parts) == 1 << bit
    assert params.fold(1) == 0


@pytest.mark.parametrize("basis", [(1, 2, 4, 8), (9, 3, 7, 2), (15, 14, 12, 8)])
def test_the_fold_is_the_last_generator(basis: tuple[int, ...]) -> None:
    for last in set(range(1, 16)) - set(basis):
        params = PlaneParams(bits=4, planes=((*basis, last),))
        assert _xor(basis, params.fold(0)) == last
        assert params.route_bits == 5


def test_the_error_names_plane_and_dependent_generator() -> None:
    with pytest.raises(ValidationError, match=r"planes\[2\]: generator 6 is 3 ⊕ 5, so the generators are no basis"):
        PlaneParams(bits=3, planes=((), (1, 2, 4), (3, 5, 6)))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"bits": 0}, ["bits", "1"]),
        ({"bits": 18}, ["bits", "17"]),
        ({"bits": 3, "planes": ()}, ["planes", "1"]),
        ({"bits": 3, "planes": ((1, 2),)}, ["planes[0] has 2 generators", "bits = 3", "folded"]),
        ({"bits": 3, "planes": ((), (1, 2, 4, 7, 3))}, ["planes[1] has 5 generators"]),
        ({"bits": 3, "planes": ((1, 2, 8),)}, ["planes[0]: generator 8", "1 to 7"]),
        ({"bits": 3, "planes": ((1, 2, 0),)}, ["planes[0]: generator 0", "1 to 7"]),
        ({"bits": 3, "planes": ((1, 2, 4, 2),)}, ["planes[0]: generator 2 is there twice"]),
        ({"bits": 3, "planes": ((1, 2, 3, 4),)}, ["planes[0]: generator 3 is 1 ⊕ 2"]),
        ({"bits": 3, "tie": "random"}, ["tie", "hash"]),
    ],
)
def test_refusals(values: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ValidationError) as caught:
        PlaneParams(**values)
    for word in words:
        assert word in str(caught.value)


def test_widths() -> None:
    assert (PlaneParams(bits=7).distance_bits, PlaneParams(bits=8).distance_bits) == (3, 4)
    widths = [PlaneParams(bits=2, planes=((),) * planes).plane_bits for planes in (1, 2, 3, 5)]
    assert widths == [1, 1, 2, 3]
    assert PlaneParams(bits=3).route_bits == 3
