"""Writes the history of buffers to a file: the packets that passed chosen switches in a span of time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.errors import TsujiError
from sim.engine.network import Network
from sim.engine.state import PASSAGE
from sim.files.growing_table import GrowingTable

CHUNK = 1 << 40  # cycles: it looks whenever another recorder does


class HistoryRecorder:
    """Writes one row for each packet that enters or leaves a switch.

    Columns: `time_ns`, `cycle` (in which the head is visible at the input, or at the far end of the output's link; at a
    node the tail), `switch`, `port`, `vc`, `leaves`, `from_node`, `to_node`, `birth_cycle`, `flits`, `from_rank`,
    `to_rank`, `tag`.

    Parameters
    ----------
    network : Network
        Network with ranks, before it runs.
    path : Path
        Parquet file.
    switches : sequence of int
    begin, end : int
        First cycle, and last cycle + 1.
    cycle_ns : float

    Raises
    ------
    TsujiError
        If there is no such switch, or the span is empty.
    """

    chunk = CHUNK
    every_chunk = False

    def __init__(
        self, network: Network, path: Path, switches: Sequence[int], begin: int, end: int, cycle_ns: float
    ) -> None:
        for s in switches:
            if not 0 <= s < network.topology.switches:
                raise TsujiError(f"history: switch {s}: must be 0 to {network.topology.switches - 1}")
        if not 0 <= begin < end:
            raise TsujiError(f"history: cycles {begin} to {end}: the first must be at least 0 and before the last")
        self._file = GrowingTable(path)
        self._cycle_ns = cycle_ns
        self._append(np.zeros(0, PASSAGE))
        network.watch_buffers(np.array(switches), begin, end)

    def _append(self, noted: np.ndarray) -> None:
        """Write recorded passages."""
        names = {
            "cycle": "cycle",
            "switch": "switch",
            "port": "port",
            "vc": "vc",
            "source": "from_node",
            "destination": "to_node",
            "birth": "birth_cycle",
            "flits": "flits",
            "sender": "from_rank",
            "receiver": "to_rank",
            "tag": "tag",
        }
        columns = {written: np.ascontiguousarray(noted[name]) for name, written in names.items()}
        leaves = noted["leaves"] != 0
        self._file.append({"time_ns": noted["cycle"] * self._cycle_ns, "leaves": leaves, **columns})

    def look(self, network: Network) -> None:
        """Write the passages recorded since the last call."""
        noted = network.passages()
        if len(noted):
            self._append(noted)

    def finish(self, network: Network, end: int) -> None:
        """Write the rest."""
        self.look(network)
        self._file.close()

    def break_off(self, network: Network, why: str) -> list[Path]:
        """Write the passages until now, close the file and return its path."""
        self.look(network)
        return [path] if (path := self._file.break_off(why)) else []
