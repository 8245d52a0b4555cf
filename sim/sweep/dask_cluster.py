"""Executor of a Dask cluster: each point is a task; its result travels to this process, which writes it.

The workers need no folder in common with this process, except for files that a configuration names. When a worker ends
in the middle of a point, the scheduler gives the point to another one.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from socket import gethostname
from typing import Any, NamedTuple

from models.errors import TsujiError
from sim.measure.result import write_json
from sim.sweep.program import program_digest
from sim.sweep.runnable import Runnable, document_of, label

CONNECT_S = 15  # seconds to reach the scheduler
HELP = "install it with: pip install 'tsuji[cluster]'"


class Computed(NamedTuple):
    """What a worker returns: a result's document, and what computed it."""

    document: dict[str, Any]
    program: str
    host: str


class DaskCluster:
    """The workers of a Dask scheduler.

    Parameters
    ----------
    name : str
        `dask://HOST:PORT`, as in messages.
    start : callable or None
        Starts a cluster and returns it, an object that `distributed.Client` takes; None: `name` is the scheduler.

    Raises
    ------
    TsujiError
        If Dask is not installed.
    """

    def __init__(self, name: str, start: Callable[[], Any] | None = None) -> None:
        try:
            import distributed  # noqa: F401 - only whether it is there; its import takes a second
        except ImportError as error:
            raise TsujiError(f"--executor {name}: needs Dask; {HELP}") from error
        address = name.removeprefix("dask://")
        host, _, port = address.rpartition(":")
        if start is None and not (name.startswith("dask://") and host and port.isdecimal() and int(port) < 1 << 16):
            raise TsujiError(f"--executor {name}: must be dask://HOST:PORT, the address of a Dask scheduler")
        self._name = name
        self._address = f"tcp://{address}"
        self._start = start
        self._cluster: Any = None
        self._client: Any = None

    def compute(self, todo: Sequence[Runnable[Any]], numbers: Sequence[int], directory: Path) -> Iterator[int]:
        """Compute points, as `sim.sweep.executor.Executor`.

        Raises
        ------
        TsujiError
            If the scheduler cannot be reached or ends, a point cannot be simulated, or a worker has another source.
        """
        if not numbers:
            return
        client = self._connected()
        futures = {
            client.submit(_computed, todo[number], key=f"{todo[number].name}-{number}", pure=False): number
            for number in numbers
        }
        for number, found in self._results(todo, futures, directory):
            self._check(found)
            write_json(found.document, directory / todo[number].name)
            yield number

    def _results(
        self, todo: Sequence[Runnable[Any]], futures: Mapping[Any, int], directory: Path
    ) -> Iterator[tuple[int, Computed]]:
        """Yield the number of each point and what a worker returned, as they arrive."""
        from distributed import as_completed
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        rest = f"finished points are kept in {directory}, and the same command computes the others"
        number = 0
        try:
            for future in as_completed(futures, loop=self._client.loop):
                number = futures[future]
                yield number, future.result()
        except KilledWorker as error:
            raise TsujiError(
                f"--executor {self._name}: the workers that computed the point {label(todo[number].values)} ended, one "
                f"after the other; {rest}"
            ) from error
        except (CancelledError, asyncio.CancelledError, CommClosedError, OSError) as error:
            raise TsujiError(f"--executor {self._name}: lost its scheduler; {rest}") from error

    def _connected(self) -> Any:
        """Return the client, connected."""
        if self._client is not None:
            return self._client
        from distributed import Client

        try:
            if self._start:
                self._cluster = self._start()
            self._client = Client(self._cluster or self._address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise TsujiError(
                f"--executor {self._name}: no scheduler answers there within {CONNECT_S} s; start one with "
                "`dask scheduler`, and workers with `dask worker HOST:PORT`"
            ) from error
        if not self._client.nthreads():
            warnings.warn(f"{self._name} has no workers yet; points wait for the first one", stacklevel=2)
        return self._client

    def _check(self, found: Computed) -> None:
        """Refuse a result of another program."""
        if found.program != program_digest():
            raise TsujiError(
                f"--executor {self._name}: {found.host} has another version of tsuji than {gethostname()}; install the "
                "same one on all machines"
            )

    def close(self) -> None:
        """Leave the cluster; end it if it was started here."""
        for each in (self._client, self._cluster):
            if each is not None:
                each.close()


def _computed(point: Runnable[Any]) -> Computed:
    """Simulate a point; runs on a worker."""
    return Computed(document_of(point), program_digest(), gethostname())
