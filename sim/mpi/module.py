"""The module that `from mpi4py import MPI` gives a simulated program: mpi4py's names, on the simulated network."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from sim.mpi import constants
from sim.mpi.comm import Cart, Comm, compute_dims
from sim.mpi.op import OPS, Op
from sim.mpi.request import Request, Status
from sim.mpi.world import World, current

NAMES = ("ANY_SOURCE", "ANY_TAG", "PROC_NULL", "ROOT", "UNDEFINED", "IN_PLACE", "TAG_UB", "Datatype")


def mpi_module(world: World, comm: Comm) -> ModuleType:
    """Return the module MPI of a world, with `comm` as communicator of all ranks."""
    module = ModuleType("mpi4py.MPI", "MPI on a simulated network.")
    given: dict[str, Any] = {name: getattr(constants, name) for name in NAMES}
    given |= OPS | constants.DATATYPES
    given |= {"COMM_WORLD": comm, "COMM_NULL": None, "REQUEST_NULL": Request(), "Exception": RuntimeError}
    given |= {"Comm": Comm, "Intracomm": Comm, "Cartcomm": Cart, "Op": Op, "Request": Request, "Status": Status}
    given |= {
        "Compute_dims": compute_dims,
        "Wtime": lambda: world.executor.ns(world.executor.now) / 1e9,
        "Wtick": lambda: world.executor.ns(1) / 1e9,
        "Get_processor_name": lambda: f"node of rank {current().number}",
        "Get_version": lambda: (4, 1),
        "Init": lambda: None,
        "Init_thread": lambda required=0: required,
        "Finalize": lambda: None,
        "Is_initialized": lambda: True,
        "Is_finalized": lambda: False,
        "compute": comm.compute,
        "THREAD_SINGLE": 0,
        "THREAD_FUNNELED": 1,
        "THREAD_SERIALIZED": 2,
        "THREAD_MULTIPLE": 3,
        "SUCCESS": 0,
    }
    vars(module).update(given)
    # The communicator of a single rank: each has its own.
    module.__getattr__ = lambda name: _own(world, name)  # type: ignore[method-assign]
    return module


def _own(world: World, name: str) -> Any:
    if name != "COMM_SELF":
        raise AttributeError(f"MPI.{name} is not supported on a simulated network")
    rank = current().number
    key = ("self", rank)
    if key not in world.shared:
        world.shared["communicators"] = world.shared.get("communicators", 0) + 1
        world.shared[key] = Comm(world, [rank], world.shared["communicators"])
    return world.shared[key]


@contextmanager
def imported(module: ModuleType) -> Iterator[None]:
    """Make `from mpi4py import MPI` return `module` in the `with` block, whether or not mpi4py is installed."""
    package = ModuleType("mpi4py", "mpi4py on a simulated network.")
    package.__path__ = []
    package.MPI = module  # type: ignore[attr-defined]
    package.rc = ModuleType("mpi4py.rc")  # type: ignore[attr-defined]
    names = {"mpi4py": package, "mpi4py.MPI": module, "mpi4py.rc": package.rc}
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
