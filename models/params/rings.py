"""Rings: which dimensions of a torus, mesh or mixture of both wrap around, and how far they reach."""

from __future__ import annotations


def ring_dimensions(wrap: bool | tuple[bool, ...], radix: tuple[int, ...]) -> tuple[bool, ...]:
    """Return, per dimension of `radix`, whether it is a ring; `wrap` is one answer for all or one each."""
    return wrap if isinstance(wrap, tuple) else (wrap,) * len(radix)


def longest_ring(wrap: bool | tuple[bool, ...], radix: tuple[int, ...]) -> int:
    """Return the number of switches in the longest ring; 0 without a ring."""
    return max((k for k, ring in zip(radix, ring_dimensions(wrap, radix), strict=True) if ring), default=0)


def longest_way(wrap: bool | tuple[bool, ...], radix: tuple[int, ...]) -> int:
    """Return the number of links on the longest shortest path."""
    return sum(k // 2 if ring else k - 1 for k, ring in zip(radix, ring_dimensions(wrap, radix), strict=True))
