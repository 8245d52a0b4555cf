"""Which dimensions of a torus, mesh or mesh-torus are rings."""

from __future__ import annotations


def ring_dimensions(wrap: bool | tuple[bool, ...], radix: tuple[int, ...]) -> tuple[bool, ...]:
    """Return whether each dimension is a ring, given that or one answer for all."""
    return wrap if isinstance(wrap, tuple) else (wrap,) * len(radix)


def longest_ring(wrap: bool | tuple[bool, ...], radix: tuple[int, ...]) -> int:
    """Return the switches of the longest ring; 0 without."""
    return max((k for k, ring in zip(radix, ring_dimensions(wrap, radix), strict=True) if ring), default=0)
