"""Names of mpi4py that are not built are refused by name; those that are built exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.mpi.comm import Comm
from sim.mpi.errors import ProgramError
from sim.mpi.module import CLASSES, CONSTANTS, FUNCTIONS
from sim.mpi.mpi4py_names import CLASSES as THEIR_CLASSES
from sim.mpi.mpi4py_names import MODULE, names_of
from sim.mpi.refusal import built
from tests.sim.mpi.programs import run


def test_all_names_of_the_module_are_those_of_mpi4py() -> None:
    assert {*CLASSES, *CONSTANTS, *FUNCTIONS} <= MODULE
    assert set(CLASSES) <= set(THEIR_CLASSES)


@pytest.mark.parametrize("kind", CLASSES)
def test_each_name_of_a_class_is_built_or_refused(kind: str) -> None:
    there, refused = built(kind, CLASSES[kind])
    assert {*there, *refused} == names_of(kind)
    for name in refused:
        with pytest.raises(AttributeError, match=rf"^MPI\.\w+\.{name}\b.* is not supported .*docs/reference/mpi\.md"):
            getattr(CLASSES[kind], name)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("MPI.File.Open", r"MPI\.File \(files\) is not supported on a simulated network; supported are messages"),
        ("MPI.COMM_WORLD.Spawn('x')", r"MPI\.Intracomm\.Spawn \(several groups of processes"),
        ("MPI.INFO_NULL", r"MPI\.INFO_NULL \(hints\)"),
        ("MPI.Comm.Create_keyval()", r"MPI\.Intracomm\.Create_keyval \(attributes\)"),
        ("MPI.REQUEST_NULL.Cancel()", r"MPI\.Request\.Cancel is not supported"),
        ("MPI.COM_WORLD", r"MPI\.COM_WORLD: mpi4py has no such name; is MPI\.COMM_WORLD meant\?"),
        ("MPI.nothing_like_it", r"MPI\.nothing_like_it: mpi4py has no such name$"),
    ],
)
def test_a_program_that_uses_one_ends_with_its_name(tmp_path: Path, line: str, text: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(f"from mpi4py import MPI\n{line}\n")
    with pytest.raises(ProgramError, match=rf"rank 0: .*program\.py:2: AttributeError: {text}"):
        run(script, 1)


@pytest.mark.parametrize(
    "line",
    ["from mpi4py.futures import MPIPoolExecutor", "from mpi4py.util import pkl5", "import mpi4py.util.dtlib"],
)
def test_other_parts_of_mpi4py(tmp_path: Path, line: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(f"{line}\n")
    with pytest.raises(ProgramError, match=r"program\.py:1: ImportError: mpi4py\.\w+ is not supported on a simulated"):
        run(script, 1)


def test_a_program_can_ask_first(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "from mpi4py import MPI\n"
        "assert not hasattr(MPI, 'File') and not hasattr(MPI.COMM_WORLD, 'Spawn')\n"
        "assert hasattr(MPI.COMM_WORLD, 'Ibarrier')\n"
    )
    run(script, 1)
    assert not hasattr(Comm, "Create_intercomm")
