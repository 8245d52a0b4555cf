"""Frames between a host and a board: what both ends agree on.

A request is `REQUEST`, then operation, sequence number, number of words, word address (three bytes), for a write the
words, and a CRC-32 of all that follows the first byte. The answer is `ANSWER`, operation, sequence number, number of
words, for a read the words, and a CRC-32. Numbers have their low byte first. A frame that is not whole and right is
never executed and never answered: the host asks again. Both operations may be repeated without harm.
"""

from __future__ import annotations

import zlib

REQUEST, ANSWER = 0xA5, 0x5A
WRITE, READ = 1, 2
WORD_BYTES = 4
CRC_BYTES = 4
ADDRESS_BYTES = 3
HEAD_BYTES = 3 + ADDRESS_BYTES  # of a request, without its first byte
ANSWER_BYTES = 3
MOST_WRITTEN = 16  # words of a frame
MOST_READ = 255
SILENCE_BITS = 10 * 1024
"""Silence, in bit times, after which a board forgets a frame that has begun: longer than gaps of USB adapters."""


def request(operation: int, sequence: int, count: int, address: int, words: list[int]) -> bytes:
    """Return the bytes of a request; `words` are those to write."""
    head = bytes([operation, sequence, count]) + address.to_bytes(ADDRESS_BYTES, "little")
    return _framed(REQUEST, head + b"".join(word.to_bytes(WORD_BYTES, "little") for word in words))


def answer(operation: int, sequence: int, count: int, words: list[int]) -> bytes:
    """Return the bytes of an answer; `words` are those that were read."""
    head = bytes([operation, sequence, count])
    return _framed(ANSWER, head + b"".join(word.to_bytes(WORD_BYTES, "little") for word in words))


def answer_bytes(operation: int, count: int) -> int:
    """Return the number of bytes of an answer."""
    return 1 + ANSWER_BYTES + (count * WORD_BYTES if operation == READ else 0) + CRC_BYTES


def is_intact(frame: bytes) -> bool:
    """Return whether the CRC at the end of a frame is that of what stands before it."""
    body, found = frame[1:-CRC_BYTES], frame[-CRC_BYTES:]
    return zlib.crc32(body).to_bytes(CRC_BYTES, "little") == found


def _framed(first: int, body: bytes) -> bytes:
    return bytes([first]) + body + zlib.crc32(body).to_bytes(CRC_BYTES, "little")
