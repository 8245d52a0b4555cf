"""Traffic drawn by a counter-based hash: whether a node creates a packet in a cycle, and to which node.

The draw of a node in a cycle depends on seed, node and cycle alone, not on earlier draws, so that it may be made in any
order and again. The hash is small enough for hardware: rounds of the block cipher SIMON48 (Beaulieu et al., "The SIMON
and SPECK families of lightweight block ciphers", 2013), one LUT4 for each bit of a round, without its key schedule. The
block is (node, cycle); the seed is the key, added in front of the first round and in the middle.
"""

from __future__ import annotations

from models.jit.compiled import compiled

WORD_BITS = 24  # of both words of the block
MASK = (1 << WORD_BITS) - 1
ROUNDS = 14  # from 11 on, tests of avalanche, frequencies and neighbours find nothing
ROUND_CONSTANT = 0x9E3779  # 2^24 divided by the golden ratio; round r adds its multiple r + 1
SEED_BITS = 32
MOST_NODES = 1 << 16
DESTINATION_BITS = 16  # of the second word


@compiled
def simon_round(x: int, y: int, key: int) -> tuple[int, int]:
    """Return the block (x, y) after a round of SIMON48 with this round key."""
    by_1 = (x << 1 | x >> (WORD_BITS - 1)) & MASK
    by_2 = (x << 2 | x >> (WORD_BITS - 2)) & MASK
    by_8 = (x << 8 | x >> (WORD_BITS - 8)) & MASK
    return y ^ (by_1 & by_8) ^ by_2 ^ key, x


@compiled
def traffic_hash(seed: int, node: int, cycle: int) -> tuple[int, int]:
    """Return the two words, 24 bits each, of a node in a cycle; of seed and cycle the low 32 bits count."""
    low, high = seed & MASK, seed >> 8 & MASK
    x = (node << 8 | cycle >> WORD_BITS & 255) ^ low
    y = cycle & MASK ^ high
    for r in range(ROUNDS):
        key = (r + 1) * ROUND_CONSTANT & MASK
        if r == ROUNDS // 2:
            key ^= low
        elif r == ROUNDS // 2 + 1:
            key ^= high
        x, y = simon_round(x, y, key)
    return x, y


def packet_threshold(rate: float) -> int:
    """Return the threshold of `draws_packet` for a rate of 0 to 1 packets/cycle, the nearest multiple of 2^−24."""
    return round(rate * (1 << WORD_BITS))


@compiled
def draws_packet(first: int, threshold: int) -> bool:
    """Return whether a node creates a packet, by the first word of its hash in that cycle."""
    return first < threshold


@compiled
def draw_destination(second: int, node: int, nodes: int) -> int:
    """Return a node other than `node`, by the second word of the hash: all as likely, within (nodes − 1) / 2^16."""
    drawn = (second >> (WORD_BITS - DESTINATION_BITS)) * (nodes - 1) >> DESTINATION_BITS
    return drawn + 1 if drawn >= node else drawn
