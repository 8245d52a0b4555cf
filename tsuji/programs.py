"""The public Python interface of MPI programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.config import load
from sim.schedule.mapping import mapped
from sim.schedule.ti.trace import FLOPS
from sim.workload.mpi_run import ProgramOptions, run_mpi
from sim.workload.result import WorkloadResult
from tsuji.description import source
from tsuji.workloads import bar, check_nodes, ideal_parameters, link_records

if TYPE_CHECKING:
    from sim.config import Config
    from sim.mpi.comm import Comm
    from sim.packets import Int64
    from tsuji.description import Description


def mpi(
    program: str | os.PathLike[str] | Callable[[Comm], Any],
    ranks: int,
    description: Description | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    ideal: Mapping[str, float] | str | None = None,
    arguments: Sequence[str] = (),
    collectives: Mapping[str, str] | None = None,
    mapping: str | Iterable[int] | None = None,
    flops: float = FLOPS,
    record: str | os.PathLike[str] | None = None,
    operations: str | os.PathLike[str] | None = None,
    slow_down: bool = True,
    links: str | os.PathLike[str] | None = None,
    chunk: int = 50_000,
    power_file: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> tuple[WorkloadResult, list[Any]]:
    """Run an MPI program, as `tsuji mpi` does.

    Parameters
    ----------
    program : path or callable
        A script for mpi4py, or a function of the communicator of all ranks.
    ranks : int
        Number of instances of the program.
    description
        Network, as in `config`; None: only the ideal network, with the parameters `ideal`.
    settings
        Network, as in `config`; None: only the ideal network, with the parameters `ideal`.
    ideal : mapping, str or None
        LogGOPS parameters of the ideal network: `{"L": 2500, "o": 1500}`, or a string as for `--ideal`; None: those of
        the network without contention.
    arguments : sequence of str
        `sys.argv` after a script's name.
    collectives : mapping of str to str or None
        Algorithms by collective, such as `{"allreduce": "ring"}`.
    mapping : str, iterable of int or None
        Node of each rank, or a strategy or file as for `--mapping`; None: rank k on node k.
    flops : float
        Floating-point operations per second of `compute`.
    record : path or None
        Folder in which the program is recorded as a trace.
    operations : path or None
        Parquet file of begin and end of each rank's operations, for `tsuji.view`.
    slow_down : bool
        Whether to run the program also on the ideal network.
    links : path or None
        Parquet file of the traffic of links, chunk by chunk.
    chunk : int
        Cycles of a chunk.
    power_file : path or None
        Parquet or CSV file of the power of links, chunk by chunk; needs a section `power`, empty or not.
    progress : bool
        Show progress on standard error.

    Returns
    -------
    tuple of WorkloadResult and list
        The result, whose `frame()` is a table of ranks; and the return value of each rank's function.

    Raises
    ------
    models.errors.TsujiError
        As `config`; also if the program violates the rules of MPI, fails, or waits for ever.
    """
    options = ProgramOptions(
        arguments,
        collectives or {},
        flops,
        record=None if record is None else Path(record),
        operations=None if operations is None else Path(operations),
    )
    with bar(progress):
        config = None if description is None else load(*source(description, settings), workload=True)
        return run_mpi(
            program if callable(program) else Path(program),
            ranks,
            config,
            ideal_parameters(ideal),
            options,
            nodes=_nodes(mapping, ranks, config),
            records=link_records(links, chunk, power_file),
            slow_down=slow_down,
        )


def _nodes(mapping: str | Iterable[int] | None, ranks: int, config: Config | None) -> Int64 | None:
    """Return the node of each rank, [ranks]; None: rank k on node k, or no network."""
    if mapping is None:
        return None
    if not isinstance(mapping, str):
        return check_nodes("mapping", mapping)
    return None if config is None else mapped(mapping, ranks, config)
