"""A board with a prototype, by what its registers mean."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from models import formats
from models.errors import TsujiError
from models.formats import COUNTERS
from synth.boards import memory_map as where
from synth.boards.memory_map import Control
from tsuji.board.design import Plan
from tsuji.board.host import Host


class Device:
    """The registers of a prototype.

    Parameters
    ----------
    host : Host
        The way to them.
    plan : Plan
        What must be on the board.

    Raises
    ------
    TsujiError
        If something else answers.
    """

    def __init__(self, host: Host, plan: Plan) -> None:
        self._host = host
        self._plan = plan
        found, design = host.read(where.control(Control.IDENTIFICATION), 2)
        if found != where.IDENTIFICATION:
            raise TsujiError(f"the board answers {found:#010x} for its identification: no prototype of tsuji is on it")
        if design != plan.design.digest:
            raise TsujiError(
                f"the board holds design {design:#010x}, not {plan.design.digest:#010x} of this configuration; "
                "flash the bitstream made of it"
            )

    def prepare(self, seed: int, threshold: int, measure: int, stop: int) -> None:
        """Put the network into reset, program routes, and set the traffic.

        Parameters
        ----------
        seed, threshold : int
            Of the traffic.
        measure : int
            Cycle in which nodes clear what they measured.
        stop : int
            First cycle in which no packet is created.
        """
        self._host.write(where.control(Control.RESET), [1])
        for words in self._entries():
            self._host.write(where.program(), words)
        self._host.write(where.control(Control.SEED), [seed, threshold, measure, stop])

    def start(self) -> None:
        """End the reset: the next cycle is cycle 0."""
        self._host.write(where.control(Control.RESET), [0])

    def now(self) -> int:
        """Return the cycle."""
        return self._host.read(where.control(Control.NOW))[0]

    def idle(self) -> bool:
        """Return whether no packet waits at a node or is being sent."""
        return bool(self._host.read(where.control(Control.IDLE))[0])

    def wait_until(self, cycle: int, patience_s: float) -> None:
        """Wait for a cycle.

        Raises
        ------
        TsujiError
            If `patience_s` seconds pass without one.
        """
        last, since = -1, time.monotonic()
        while (now := self.now()) < cycle:
            if now != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > patience_s:
                raise TsujiError(f"the board stands at cycle {now}: its clock does not run")

    def node_words(self, node: int, count: int, first: int = 0) -> list[int]:
        """Return words of a node."""
        return self._host.read(where.node(node, first), count)

    def counters(self) -> tuple[np.ndarray, np.ndarray]:
        """Return counters, and the cycle before whose events each was read: int64 [switches, ports, Counter]."""
        topology = self._plan.topology
        shape = (topology.switches, topology.ports, COUNTERS, 2)
        values = np.zeros(shape, np.int64)
        for s, p in np.ndindex(shape[:2]):
            values[s, p] = np.reshape(self._host.read(where.counter(s, p), 2 * COUNTERS), shape[2:])
        return values[..., 0], values[..., 1]

    def _entries(self) -> list[list[int]]:
        """Return the words that program each entry."""
        entries, params = self._plan.entries, self._plan.design.switch
        if entries is None:
            return []
        layout = formats.program(params)
        count = where.program_words(params)
        made = []
        for number, switch in enumerate(entries.switch):
            values: dict[str, Any] = {name: int(column[number]) for name, column in entries.fields.items()}
            word = formats.pack(layout, values)
            made.append([*(word >> 32 * k & 0xFFFFFFFF for k in range(count)), int(switch)])
        return made
