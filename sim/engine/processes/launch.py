"""Whether an MPI launcher started this process together with others, by the variables that launchers set."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from models.errors import TsujiError

if TYPE_CHECKING:
    from sim.engine.processes.processes import Processes

# Variables with the number of processes and that of this process.
VARIABLES = {
    "MPICH and its relatives": ("PMI_SIZE", "PMI_RANK"),
    "Open MPI": ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    "MVAPICH": ("MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"),
    "Slurm with PMIx": ("SLURM_NTASKS", "PMIX_RANK"),
}
HELP = "install it with: pip install 'tsuji[mpi]'"


class Launch(NamedTuple):
    """What a launcher says.

    Attributes
    ----------
    size : int
        Number of processes, more than one.
    rank : int
        Number of this process, from 0.
    """

    size: int
    rank: int

    def join(self) -> Processes:
        """Return the processes.

        Raises
        ------
        TsujiError
            If mpi4py is not installed, or does not see the processes of this launcher.
        """
        try:
            from mpi4py import MPI
        except (ImportError, RuntimeError) as error:  # RuntimeError: there is no library of MPI
            raise TsujiError(f"mpirun -n {self.size}: needs mpi4py and an MPI ({error}); {HELP}") from error
        from sim.engine.processes.processes import Processes

        if self.size != MPI.COMM_WORLD.size:
            raise TsujiError(
                f"mpirun -n {self.size}: the MPI of mpi4py, {MPI.Get_library_version().split(chr(10))[0].strip()}, "
                f"counts {MPI.COMM_WORLD.size}; the launcher must be of the same MPI"
            )
        return Processes(MPI.COMM_WORLD)


def launched() -> Launch | None:
    """Return what an MPI launcher says that started this process with others; None if none did."""
    for size, rank in VARIABLES.values():
        given = os.environ.get(size, ""), os.environ.get(rank, "")
        if all(map(str.isdecimal, given)) and int(given[0]) > 1:
            return Launch(*map(int, given))
    return None
