"""Whether a launcher started this process, and what is said without mpi4py."""

import sys

import pytest

from models.errors import TsujiError
from sim.engine.processes.launch import VARIABLES, Launch, launched


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    for names in VARIABLES.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("launcher", VARIABLES)
def test_variables_of_launchers(launcher, monkeypatch):
    size, rank = VARIABLES[launcher]
    monkeypatch.setenv(size, "4")
    assert launched() is None  # a job of Slurm has its number of tasks without MPI, too
    monkeypatch.setenv(rank, "3")
    assert launched() == Launch(4, 3)
    monkeypatch.setenv(size, "1")
    assert launched() is None


def test_alone_mpi4py_is_not_imported():
    assert launched() is None


def test_without_mpi4py_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(TsujiError, match=r"mpirun -n 4: needs mpi4py and an MPI .*pip install 'tsuji\[mpi\]'"):
        Launch(4, 0).join()


def test_another_mpi_than_that_of_the_launcher(monkeypatch):
    """Its processes each believe to be alone."""
    world = type("Comm", (), {"size": 1})
    module = type("MPI", (), {"COMM_WORLD": world, "Get_library_version": staticmethod(lambda: "MPICH 5\nmore")})
    package = type(sys)("mpi4py")
    package.MPI = module
    monkeypatch.setitem(sys.modules, "mpi4py", package)
    with pytest.raises(TsujiError, match=r"mpirun -n 4: the MPI of mpi4py, MPICH 5, counts 1; the launcher must be"):
        Launch(4, 0).join()
