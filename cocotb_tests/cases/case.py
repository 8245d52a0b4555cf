"""A parameter set: a switch and its position."""

from __future__ import annotations

from dataclasses import dataclass

from models.params import SwitchParams


@dataclass(frozen=True)
class Case:
    """A switch and, if it computes routes, its position."""

    params: SwitchParams
    position: tuple[int, ...] = ()


def position_word(case: Case) -> int:
    """Return the position of a switch as its input port takes it."""
    word = shift = 0
    for coordinate, bits in zip(case.position, case.params.position_bits, strict=False):
        word |= coordinate << shift
        shift += bits
    return word
