"""Errors that a program can catch."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.mpi.errors import ERROR_CLASSES, MpiError, ProgramError
from tests.sim.mpi.programs import run


def test_an_exception_is_the_number_of_its_class() -> None:
    error = MpiError(ERROR_CLASSES["ERR_RANK"])
    assert isinstance(error, RuntimeError)
    assert (int(error), error == ERROR_CLASSES["ERR_RANK"], error == MpiError()) == (
        error.Get_error_code(),
        True,
        False,
    )
    assert str(error) == error.Get_error_string() == error.error_string == "invalid rank"
    assert len({error, MpiError(error.error_class)}) == 1


def test_a_program_goes_on_after_an_error_that_it_catches(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "from mpi4py import MPI\n"
        "comm = MPI.COMM_WORLD\n"
        "try:\n"
        "    comm.send(1, 99)\n"
        "except MPI.Exception as error:\n"
        "    assert error.Get_error_class() == MPI.ERR_RANK\n"
        "    assert MPI.Get_error_string(error.error_class) == 'invalid rank'\n"
        "comm.barrier()\n"
        "if comm.rank:\n"
        "    raise MPI.Exception(MPI.ERR_OTHER)\n"
    )
    with pytest.raises(ProgramError, match="rank 1: other error"):
        run(script, 2)
