"""Records a running network's energy in an account, and in files if requested."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.params import SwitchParams
from sim.config.power import PowerParams
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.lib.interruption import interruptions_wait
from sim.packets import Delivered, Int64
from sim.power.account import Account, PowerFigures
from sim.power.meter import Meter

if TYPE_CHECKING:
    from sim.power.chunk_files import ChunkFiles


class PowerRecorder:
    """Sums the energy of a network, chunk by chunk, from the current cycle on.

    Parameters
    ----------
    network : Network or PlaneNetwork
    switch : SwitchParams
        Parameters of the network's switches.
    power : PowerParams
    config : mapping
        Sections of the configuration, for the files.
    path : Path or None
        File for links, chunk by chunk, Parquet or CSV; switches go into a second file. None: no files.
    source : list of str
        Workload that runs; empty: traffic.
    rank_nodes : array or None
        Node of each rank.

    Raises
    ------
    TsujiError
        If the switch has no counters, or a file cannot be written.
    """

    every_chunk = True  # links go to sleep in cycles in which nothing moves

    def __init__(
        self,
        network: Network | PlaneNetwork,
        switch: SwitchParams,
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
        self._meter = meter = Meter(network, switch, power)
        self._account = Account(meter, switch, power)
        self._files: ChunkFiles | None = None
        if path is not None:
            from sim.power.chunk_files import ChunkFiles, metadata_of  # imports pyarrow

            about = metadata_of(
                meter, config, power.model_dump(mode="json"), power.cycle, self.chunk, source or [], rank_nodes
            )
            self._files = ChunkFiles(path, meter, power.cycle, about)

    @property
    def cycles(self) -> int:
        """Cycles since the account began."""
        return self._network.cycle - self._begin

    def advance(self, advance: Callable[[int], Delivered], cycles: int) -> Delivered:
        """Simulate `cycles` cycles by `advance`, in pieces that end with each chunk."""
        parts = []
        while cycles:
            step = min(cycles, self.chunk - self.cycles % self.chunk)
            parts.append(advance(step))
            self.look(self._network)
            cycles -= step
        return Delivered.join(parts)

    def look(self, network: Network | PlaneNetwork) -> None:
        """Record the chunk that ends now, if one does and it is not recorded yet."""
        if network.cycle > self._meter.read_at and self.cycles % self.chunk == 0:
            self._take(network.cycle)

    def finish(self, network: Network | PlaneNetwork, end: int = 0) -> None:
        """Record the rest, until cycle `end` if nothing happens until then, close the files and return the figures."""
        end = max(network.cycle, end)
        while self._meter.read_at < end:
            done = (self._meter.read_at - self._begin) // self.chunk
            self._take(min(end, self._begin + (done + 1) * self.chunk))
        self.figures = self._account.figures()
        if self._files is not None:
            self._files.close(self.figures)

    def break_off(self, network: Network | PlaneNetwork, why: str) -> list[Path]:
        """Record the energy until now, close the files of a run that does not reach its end and return their paths."""
        if self._files is None:
            return []
        if network.cycle > self._meter.read_at:
            self._take(network.cycle)
        return self._files.break_off(why)

    def _take(self, at: int) -> None:
        """Record the chunk that ends at a cycle; an interruption waits, so that both files have the same chunks."""
        with interruptions_wait():
            chunk = self._meter.read(at)
            found = self._account.add(chunk)
            if self._files is not None:
                self._files.write(chunk, found)
