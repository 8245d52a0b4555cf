"""The module that `from mpi4py import MPI` gives a simulated program: mpi4py's names, on the simulated network."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NoReturn

from sim.mpi import constants
from sim.mpi.comm import COMM_NULL, Cart, Comm, Distgraph, Topocomm
from sim.mpi.datatype import DATATYPES, Datatype
from sim.mpi.dims import compute_dims
from sim.mpi.errors import ERROR_CLASSES, SUCCESS, MpiError, error_string
from sim.mpi.group import GROUP_EMPTY, GROUP_NULL, Group
from sim.mpi.message import Message
from sim.mpi.op import OPS, Op
from sim.mpi.persistent import Prequest
from sim.mpi.rank import current
from sim.mpi.refusal import refuse_name
from sim.mpi.request import Request
from sim.mpi.status import Status
from sim.mpi.window import Win
from sim.mpi.world import World

REFUSED_PARTS = ("mpi4py.bench", "mpi4py.futures", "mpi4py.run", "mpi4py.util")
CLASSES: dict[str, type] = {
    "Comm": Comm,
    "Intracomm": Comm,
    "Topocomm": Topocomm,
    "Cartcomm": Cart,
    "Distgraphcomm": Distgraph,
    "Datatype": Datatype,
    "Exception": MpiError,
    "Group": Group,
    "Message": Message,
    "Op": Op,
    "Prequest": Prequest,
    "Request": Request,
    "Status": Status,
    "Win": Win,
}
"""The classes of the module, by mpi4py's names."""
CONSTANTS: dict[str, Any] = {
    **{name: value for name, value in vars(constants).items() if name.isupper() and name != "MAX_TAG"},
    **ERROR_CLASSES,
    **DATATYPES,
    **OPS,
    "SUCCESS": SUCCESS,
    "VERSION": 4,
    "SUBVERSION": 1,
    "COMM_NULL": COMM_NULL,
    "GROUP_EMPTY": GROUP_EMPTY,
    "GROUP_NULL": GROUP_NULL,
    "REQUEST_NULL": Request(),
    "MESSAGE_NULL": Message(),
    "MESSAGE_NO_PROC": Message(from_nobody=True),
}
"""Its constants."""


FUNCTIONS: dict[str, Callable[[World], Callable[..., Any]]] = {
    "Compute_dims": lambda world: compute_dims,
    "Wtime": lambda world: lambda: world.executor.ns(world.executor.now) / 1e9,
    "Wtick": lambda world: lambda: world.executor.ns(1) / 1e9,
    "Get_processor_name": lambda world: lambda: f"node of rank {current().number}",
    "Get_version": lambda world: lambda: (4, 1),
    "Get_library_version": lambda world: lambda: "tsuji, a simulated network",
    "Get_error_class": lambda world: lambda errorcode: errorcode,
    "Get_error_string": lambda world: error_string,
    "Init": lambda world: lambda: None,
    "Init_thread": lambda world: lambda required=constants.THREAD_MULTIPLE: required,
    "Query_thread": lambda world: lambda: constants.THREAD_MULTIPLE,
    "Is_thread_main": lambda world: lambda: True,
    "Finalize": lambda world: lambda: None,
    "Is_initialized": lambda world: lambda: True,
    "Is_finalized": lambda world: lambda: False,
}
"""Its functions, given a world."""


def mpi_module(world: World, comm: Comm) -> ModuleType:
    """Return the module MPI of a world, with `comm` as communicator of all ranks."""
    module = ModuleType("mpi4py.MPI", "MPI on a simulated network.")
    vars(module).update(CLASSES | CONSTANTS | {name: of(world) for name, of in FUNCTIONS.items()})
    vars(module).update({"COMM_WORLD": comm, "compute": comm.compute})  # the latter is not in mpi4py
    module.__getattr__ = lambda name: _other(world, name)  # type: ignore[method-assign]
    return module


def _other(world: World, name: str) -> Any:
    """Return the communicator of a single rank, of which each rank has its own; refuse other names."""
    if name != "COMM_SELF":
        refuse_name(name)
    rank = current().number
    key = ("self", rank)
    if key not in world.shared:
        world.shared["communicators"] = world.shared.get("communicators", 0) + 1
        world.shared[key] = Comm(world, [rank], world.shared["communicators"])
        world.shared[key].Set_name("MPI_COMM_SELF")
    return world.shared[key]


def _refused_part(name: str) -> ModuleType:
    """Return a module from which nothing can be imported."""

    def refuse(_: str) -> NoReturn:
        raise ImportError(f"{name} is not supported on a simulated network; supported is MPI, from mpi4py")

    part = ModuleType(name)
    part.__getattr__ = refuse  # type: ignore[method-assign]
    return part


@contextmanager
def imported(module: ModuleType) -> Iterator[None]:
    """Make `from mpi4py import MPI` return `module` in the `with` block, whether or not mpi4py is installed."""
    package = ModuleType("mpi4py", "mpi4py on a simulated network.")
    package.__path__ = []
    package.MPI = module  # type: ignore[attr-defined]
    package.rc = ModuleType("mpi4py.rc")  # type: ignore[attr-defined]
    names = {"mpi4py": package, "mpi4py.MPI": module, "mpi4py.rc": package.rc}
    names |= {name: _refused_part(name) for name in REFUSED_PARTS}
    before = {name: sys.modules.get(name) for name in names}
    sys.modules.update(names)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                del sys.modules[name]
            else:
                sys.modules[name] = old
