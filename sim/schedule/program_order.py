"""Converts a rank's program order, as of MPI programs, to operations with dependencies.

All later operations wait for a blocking operation. Where many operations would wait for many others, an empty operation
(a join) is inserted between them. Operations after a wait depend on the nonblocking operation (isend, irecv); its
overhead occupies the CPU and so delays later operations.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from sim.messages.tags import COLLECTIVE_TAG
from sim.schedule.collectives.plan import Plan
from sim.schedule.operations import CALC, RECV, SEND, Operations

JOIN_CPU = 1  # a join waits for no overhead
MANY = 1024  # edges between operations above which a join replaces them
MANY_STARTED = 64


class ProgramOrder:
    """The operations of one rank, built in program order and returned in blocks.

    Attributes
    ----------
    kinds, peers, sizes, tags, first, requires : list
        As in `Operations`, since the last block; public, so that a reader can append frequent operations directly.
    last : list of int
        Numbers of the operations for which the next one waits.
    base : int
        Number of the first operation of `kinds`.
    """

    def __init__(self) -> None:
        self.kinds: list[int] = []
        self.peers: list[int] = []
        self.sizes: list[int] = []
        self.tags: list[int] = []
        self.first: list[int] = [0]
        self.requires: list[int] = []
        self.last: list[int] = []
        self.base = 0
        self._joins: list[int] = []
        self._open: dict[tuple[int, int, int], deque[int]] = {}

    def compute(self, nanoseconds: int) -> None:
        """Calculate for a time; a time of 0 adds no operation."""
        if nanoseconds:
            self.last[:] = [self._add(CALC, 0, nanoseconds, 0)]

    def send(self, peer: int, tag: int, size: int) -> None:
        """Send, and continue when the message has left."""
        self.last[:] = [self._add(SEND, peer, size, tag)]

    def receive(self, peer: int, tag: int) -> None:
        """Receive, and continue when the message has arrived."""
        self.last[:] = [self._add(RECV, peer, 0, tag)]

    def start_send(self, rank: int, peer: int, tag: int, size: int) -> None:
        """Start a send and continue; `rank` is the sender."""
        self._join_many()
        self._open.setdefault((rank, peer, tag), deque()).append(self._add(SEND, peer, size, tag))

    def start_receive(self, rank: int, peer: int, tag: int) -> None:
        """Start a receive and continue; `rank` is the receiver."""
        self._join_many()
        self._open.setdefault((peer, rank, tag), deque()).append(self._add(RECV, peer, 0, tag))

    def exchange(self, to: int, source: int, tag: int, size: int) -> None:
        """Receive and send together, and continue when both have ended."""
        self._join_many()
        self.last[:] = [self._add(RECV, source, 0, tag), self._add(SEND, to, size, tag)]

    def wait(self, source: int, destination: int, tag: int) -> bool:
        """Wait for the oldest nonblocking message not yet waited for; return whether there is one."""
        started = self._open.get((source, destination, tag))
        if not started:
            return False
        self.last.append(started.popleft())
        if not started:
            del self._open[source, destination, tag]
        return True

    @property
    def is_waiting(self) -> bool:
        """Whether there is a nonblocking message not yet waited for."""
        return bool(self._open)

    def wait_all(self) -> None:
        """Wait for all nonblocking messages not yet waited for."""
        for started in self._open.values():
            self.last.extend(started)
        self._open.clear()

    def collective(self, plan: Plan, sizes: list[int]) -> None:
        """Take part in a collective whose messages have `sizes` bytes."""
        if not plan.kinds:
            return
        opening = plan.requires.count(-1)
        if opening * len(self.last) > MANY:
            self._join()
        number, edges, last = self.base + len(self.kinds), len(self.requires), self.last
        self.kinds.extend(plan.kinds)
        self.peers.extend(plan.peers)
        self.sizes.extend(sizes)
        self.tags.extend([COLLECTIVE_TAG] * len(plan.kinds))
        self.requires.extend(last * opening)
        self.requires.extend([number + each for each in plan.requires[opening:]])
        self.first.extend([edges + len(last) * k for k in range(1, opening + 1)])
        later = edges + (len(last) - 1) * opening
        self.first.extend([later + each for each in plan.first[opening + 1 :]])
        self.last[:] = [number + each for each in plan.last]

    def _join(self) -> None:
        """Replace the operations for which the next ones wait by one join."""
        self._joins.append(len(self.kinds))
        self.last[:] = [self._add(CALC, 0, 0, 0)]

    def _join_many(self) -> None:
        if len(self.last) > MANY_STARTED:
            self._join()

    def take(self) -> Operations:
        """Return the operations added since the last call."""
        count = len(self.kinds)
        cpu = np.zeros(count, np.int16)
        cpu[self._joins] = JOIN_CPU
        block = Operations(
            kind=np.array(self.kinds, np.int8),
            peer=np.array(self.peers, np.int64),
            size=np.array(self.sizes, np.int64),
            tag=np.array(self.tags, np.int64),
            cpu=cpu,
            nic=np.zeros(count, np.int16),
            first=np.array(self.first, np.int64),
            requires=np.array(self.requires, np.int64),
            on_start=np.zeros(len(self.requires), np.bool_),
        )
        self.base += count
        for column in (self.kinds, self.peers, self.sizes, self.tags, self.requires, self._joins):
            column.clear()
        self.first[:] = [0]
        return block

    def _add(self, kind: int, peer: int, size: int, tag: int) -> int:
        number = self.base + len(self.kinds)
        self.kinds.append(kind)
        self.peers.append(peer)
        self.sizes.append(size)
        self.tags.append(tag)
        self.requires.extend(self.last)
        self.first.append(len(self.requires))
        return number
