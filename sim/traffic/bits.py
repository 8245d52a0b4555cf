"""Permutations of the bits of the node number (Dally and Towles, 2004, section 3.2)."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from sim.topology.base import Int64, Topology
from sim.traffic.pattern import PATTERNS, Chooser, Pattern, permutation


class BitPermutation(Pattern):
    """Permutations of the bits of node numbers, which need a power of two of nodes."""

    fixed: ClassVar[bool] = True

    def chooser(self, topology: Topology) -> Chooser:
        """Return the permutation."""
        nodes = topology.nodes
        if nodes < 2 or nodes & (nodes - 1):
            raise self.refuse(topology, f"has {nodes} nodes; patterns of bits need a power of two")
        return permutation(self.permute(np.arange(nodes), nodes.bit_length() - 1))

    @abstractmethod
    def permute(self, words: Int64, bits: int) -> Int64:
        """Return the destination of each word."""


@PATTERNS.enter
class BitComplement(BitPermutation):
    """Every bit is inverted: node n of N sends to N − 1 − n. No parameters."""

    kind: ClassVar[str] = "bit_complement"

    def permute(self, words: Int64, bits: int) -> Int64:
        """Return each word with every bit inverted."""
        return words ^ ((1 << bits) - 1)


@PATTERNS.enter
class BitReverse(BitPermutation):
    """The order of bits is reversed. No parameters."""

    kind: ClassVar[str] = "bit_reverse"

    def permute(self, words: Int64, bits: int) -> Int64:
        """Return each word with its bits in reverse order."""
        reversed_words = np.zeros_like(words)
        for bit in range(bits):
            reversed_words |= (words >> bit & 1) << (bits - 1 - bit)
        return reversed_words


@PATTERNS.enter
class Shuffle(BitPermutation):
    """The bits are rotated left by one. No parameters."""

    kind: ClassVar[str] = "shuffle"

    def permute(self, words: Int64, bits: int) -> Int64:
        """Return each word rotated left by one."""
        return (words << 1 & (1 << bits) - 1) | words >> (bits - 1)
