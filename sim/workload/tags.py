"""Tags of messages: a context above, what the program says below, so that no receive takes what is not meant for it.

Every communicator has two contexts: an even one for messages of programs and the next for those of its collectives.
"""

from __future__ import annotations

CONTEXT_BITS = 32
MAX_TAG = (1 << 31) - 1
"""Largest tag of a program."""
COLLECTIVE_TAG = 1 << CONTEXT_BITS
"""Tag of messages of collectives of all ranks: context 1. They need no other, as none overtakes another."""
