"""Executor of processes of this machine."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from models.errors import TsujiError
from sim.engine.threads.count import cpus
from sim.simulation import in_batches
from sim.sweep.runnable import Runnable, simulate_into
from sim.sweep.worker import prepare, start_method


class LocalPool:
    """Processes that live until it is closed.

    Parameters
    ----------
    workers : int
        Number of processes; 1: simulate in this process. There are fewer if each runs several threads (`run.threads`),
        so that these are no more than the processors.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._size = 0  # processes of the pool
        self._compiled: set[tuple[str, bool]] = set()

    def compute(self, todo: Sequence[Runnable[Any]], numbers: Sequence[int], directory: Path) -> Iterator[int]:
        """Compute points, as `sim.sweep.executor.Executor`.

        Raises
        ------
        TsujiError
            If a point cannot be simulated, or a process ends.
        """
        threads = max((_threads(todo[number]) for number in numbers), default=1)
        workers = self._workers if threads == 1 else max(1, min(self._workers, cpus() // threads))
        if workers == 1 or len(numbers) < 2:
            for done, number in enumerate(numbers, 1):
                simulate_into(todo[number], directory, len(numbers) - done)
                yield number
            return
        for number in numbers:
            self._compile(todo[number])
        if self._pool is None or self._size != workers:
            self.close()
            self._pool = ProcessPoolExecutor(workers, get_context(start_method()), initializer=prepare)
            self._size = workers
        with warnings.catch_warnings():
            # Threads of this process show progress; workers show none.
            warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
            futures = {
                self._pool.submit(simulate_into, todo[number], directory, len(numbers) - done): number
                for done, number in enumerate(numbers, 1)
            }
        try:
            for future in as_completed(futures):
                future.result()
                yield futures[future]
        except BrokenProcessPool as error:
            raise TsujiError(
                f"a worker process ended unexpectedly; finished points are kept in {directory}. A Python program "
                'that asks for several workers must be guarded by if __name__ == "__main__":'
            ) from error

    def _compile(self, point: Runnable[Any]) -> None:
        """Compile the engine of a point for the processes, unless done for an earlier point."""
        config = point.config
        specialised = config.switch.model_dump_json() if config.run.specialise is True else ""
        kind = specialised, in_batches(config)
        if kind not in self._compiled:
            self._compiled.add(kind)
            point.compile()

    def close(self) -> None:
        """End the processes."""
        if self._pool:
            self._pool.shutdown(wait=False, cancel_futures=True)


def _threads(point: Runnable[Any]) -> int:
    """Return the number of threads that a point runs in a worker."""
    threads = point.config.run.threads
    return 1 if threads == "auto" else threads
