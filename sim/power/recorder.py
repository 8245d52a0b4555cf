"""Watches a network while it runs: an account of its energy, and files of it where they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.params import LinkParams, SwitchParams
from sim.config.power import PowerParams
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.packets import Delivered, Int64
from sim.power.account import Account, PowerFigures
from sim.power.meter import Meter

if TYPE_CHECKING:
    from sim.power.chunk_files import ChunkFiles


class PowerRecorder:
    """Adds up the energy of a network, chunk by chunk, from the cycle on in which it is made.

    Parameters
    ----------
    network : Network or PlaneNetwork
    switch, link : SwitchParams, LinkParams
        Of the network.
    power : PowerParams
    config : mapping
        Sections of the configuration, for the files.
    path : Path or None
        Where links are written, chunk by chunk, Parquet or CSV; switches are written beside. None: nowhere.
    source : list of str
        What runs on it; none: traffic.
    rank_nodes : array or None
        Node of each rank.

    Raises
    ------
    TsujiError
        If the switch has no counters, or a file cannot be written.
    """

    every_chunk = True  # links go to sleep in one in which nothing moves

    def __init__(
        self,
        network: Network | PlaneNetwork,
        switch: SwitchParams,
        link: LinkParams,
        power: PowerParams,
        config: Mapping[str, Any],
        path: Path | None = None,
        source: list[str] | None = None,
        rank_nodes: Int64 | None = None,
    ) -> None:
        self.chunk = power.chunk_cycles
        self.figures: PowerFigures | None = None
        self._network = network
        self._begin = network.cycle
        self._meter = meter = Meter(network, switch, link, power)
        self._account = Account(meter, switch, power)
        self._files: ChunkFiles | None = None
        if path is not None:
            from sim.power.chunk_files import ChunkFiles, metadata_of  # and with it pyarrow

            about = metadata_of(
                meter, config, power.model_dump(mode="json"), power.cycle, self.chunk, source or [], rank_nodes
            )
            self._files = ChunkFiles(path, meter, power.cycle, about)

    def advance(self, advance: Callable[[int], Delivered], cycles: int) -> Delivered:
        """Simulate so many cycles by `advance`, in pieces that end when a chunk does."""
        parts = []
        while cycles:
            step = min(cycles, self.chunk - (self._network.cycle - self._begin) % self.chunk)
            parts.append(advance(step))
            self.look(self._network)
            cycles -= step
        return Delivered.join(parts)

    def look(self, network: Network | PlaneNetwork) -> None:
        """Take the chunk that ends now, if one does and it has not been taken."""
        if network.cycle > self._meter.read_at and (network.cycle - self._begin) % self.chunk == 0:
            self._take(network.cycle)

    def finish(self, network: Network | PlaneNetwork, end: int = 0) -> None:
        """Take the rest, until cycle `end` if nothing happens until then, and finish the files and the figures."""
        end = max(network.cycle, end)
        while self._meter.read_at < end:
            done = (self._meter.read_at - self._begin) // self.chunk
            self._take(min(end, self._begin + (done + 1) * self.chunk))
        self.figures = self._account.figures()
        if self._files is not None:
            self._files.close(self.figures)

    def _take(self, at: int) -> None:
        """Take the chunk that ends at a cycle."""
        chunk = self._meter.read(at)
        found = self._account.add(chunk)
        if self._files is not None:
            self._files.write(chunk, found)
