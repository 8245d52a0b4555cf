"""Tags of messages: the context in the upper bits, the program's tag below, so that contexts cannot match each other.

Every communicator has two contexts: an even one for messages of programs, and the next one for its collectives. The
communicator of all ranks has 0 and 1, so its messages have the program's tags unchanged.
"""

from __future__ import annotations

CONTEXT_BITS = 32
ANY_IN_CONTEXT = (1 << CONTEXT_BITS) - 1
"""Below a context, in a receive: any tag of that context."""
MAX_TAG = (1 << 31) - 1
"""Largest tag of a program."""
COLLECTIVE_TAG = 1 << CONTEXT_BITS
"""Tag of messages of blocking collectives of all ranks: context 1. One tag suffices, as messages do not overtake."""


def tag_of(communicator: int, tag: int) -> int:
    """Return the tag of a program's message within a communicator; −1, any tag, keeps the context, too."""
    return (2 * communicator) << CONTEXT_BITS | (tag & ANY_IN_CONTEXT)


def collective_tag(communicator: int, number: int = 0) -> int:
    """Return the tag of messages of a communicator's blocking collectives, or of a nonblocking one by its number."""
    return (2 * communicator + 1) << CONTEXT_BITS | number


def described(tag: int) -> str:
    """Return a tag as the program wrote it."""
    context, below = tag >> CONTEXT_BITS, tag & ANY_IN_CONTEXT
    if context >= 0 and context % 2:
        return "of a collective"
    return "any tag" if below == ANY_IN_CONTEXT else f"tag {below}"
