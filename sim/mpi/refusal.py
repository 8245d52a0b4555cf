"""Names of mpi4py that are not built: an attempt to use one is refused by that name."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from sim.mpi.mpi4py_names import MODULE, names_of

T = TypeVar("T", bound=type)

SUPPORTED = (
    "supported are messages, collectives, requests, groups, grids, derived types and windows with fences: "
    "see the table in docs/reference/mpi.md"
)
_AREAS = {
    "files": ("File", "MODE_", "SEEK_", "DISP", "FILE", "Register_datarep"),
    "one-sided communication other than with fences": ("Win.", "WIN", "LOCK_"),
    "several groups of processes, and processes that start others": (
        *("Intercomm", "Spawn", "Accept", "Connect", "Join", "Get_parent", "Create_intercomm", "Open_port"),
        *("Close_port", "Publish", "Unpublish", "Lookup", "APPNUM", "UNIVERSE"),
    ),
    "sessions": ("Session", "SESSION", "Create_from_"),
    "hints": ("Info", "INFO", "Set_info", "Get_info", "Dup_with_info", "Idup_with_info", "info"),
    "error handlers: errors are exceptions": (
        "Errhandler",
        "ERRHANDLER",
        "ERRORS_",
        "_errhandler",
        "Add_error",
        "Remove_",
    ),
    "attributes": ("_attr", "_keyval", "KEYVAL"),
    "partitioned messages": ("Psend", "Precv", "Pready", "Parrived"),
    "requests that a program completes": ("Grequest",),
    "handles of C and Fortran": (
        "py2f",
        "f2py",
        "handle",
        "toint",
        "fromint",
        "F_STATUS",
        "F_SOURCE",
        "F_TAG",
        "F_ERROR",
    ),
    "fault tolerance": ("evoke", "_failed", "Agree", "agree", "hrink"),
}
"""What MPI calls things that are not built, and parts of their names."""


def _why(name: str) -> str:
    found = next((area for area, signs in _AREAS.items() if any(sign in name for sign in signs)), "")
    return f" ({found})" if found else ""


def refused(name: str) -> AttributeError:
    """Return the error for a name of the module, or of a class as `Class.name`."""
    return AttributeError(f"MPI.{name}{_why(name)} is not supported on a simulated network; {SUPPORTED}")


def refuse_name(name: str) -> NoReturn:
    """Refuse a name of the module that is not built, or that mpi4py does not have either.

    Raises
    ------
    AttributeError
        Always.
    """
    if name in MODULE:
        raise refused(name)
    near = difflib.get_close_matches(name, MODULE, 1)
    raise AttributeError(f"MPI.{name}: mpi4py has no such name" + (f"; is MPI.{near[0]} meant?" if near else ""))


class _Refused:
    """An attribute that refuses to be read, so that `hasattr` is false."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: Any = None) -> NoReturn:
        raise refused(self.name)


def refuse_missing(kind: str) -> Callable[[T], T]:
    """Let a class refuse, by their names, the attributes that mpi4py's class `kind` has and it has not; a decorator."""

    def decorate(cls: T) -> T:
        for name in sorted(names_of(kind)):
            if not _has(cls, name):
                setattr(cls, name, _Refused(f"{kind}.{name}"))
        return cls

    return decorate


def built(kind: str, cls: type) -> tuple[list[str], list[str]]:
    """Return the names of mpi4py's class `kind` that a class has, and those that it refuses."""
    names = sorted(names_of(kind))
    return [name for name in names if _has(cls, name)], [name for name in names if not _has(cls, name)]


def _has(cls: type, name: str) -> bool:
    """Return whether a class, or each of its instances, has an attribute."""
    return hasattr(cls, name) or any(name in vars(base).get("__annotations__", ()) for base in cls.__mro__)
