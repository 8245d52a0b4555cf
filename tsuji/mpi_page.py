"""`python -m tsuji.mpi_page > docs/reference/mpi.md`: the names of mpi4py that programs may use, from `sim/mpi/`."""

from __future__ import annotations

from collections.abc import Iterable

from sim.mpi.module import CLASSES, CONSTANTS, FUNCTIONS
from sim.mpi.mpi4py_names import BASES, MODULE
from sim.mpi.mpi4py_names import CLASSES as THEIR_CLASSES
from sim.mpi.refusal import built

HEAD = """# Names of mpi4py

`python -m tsuji.mpi_page` prints this page from `sim/mpi/`. It lists the public names of mpi4py 4.1's module `MPI`, and
which of them a program of `tsuji mpi` may use ([how to](../how_to/workloads.md#mpi-programs)). The use of any other
name ends the program with a message that contains the name. `hasattr` is false for it, so a program can ask first.

Not in mpi4py are `comm.compute(seconds)`, `comm.compute(flops=…)` and `MPI.compute`, the time of calculations;
`bytes=`, the simulated size of an object; `nic=`, the interface that sends; alltoallv and reduce_scatter of objects.
Buffers may be arrays with strides, which mpi4py refuses; programs for both send them by derived types.

## The module

| names | supported | refused |
| --- | --- | --- |
"""
CLASSES_HEAD = """
## Classes

Inherited names are listed with the class that has them first. Refused as a whole:
{refused}.

| class | supported | refused |
| --- | --- | --- |
"""
BY_RANK = {"COMM_WORLD", "COMM_SELF"}
"""Constants that are known only while a program runs."""
OBJECTS = {"memory", "pickle"}
"""Names in lower case that are no functions."""


def page() -> str:
    """Return the page."""
    there = {*CLASSES, *CONSTANTS, *FUNCTIONS, *BY_RANK} & MODULE
    functions = {name for name in MODULE if not name.isupper() and name not in (*THEIR_CLASSES, *OBJECTS)}
    errors = {name for name in MODULE if name.startswith("ERR_")}
    groups = {
        "functions": functions,
        "error classes": errors,
        "constants, types, operations": MODULE - functions - errors - set(THEIR_CLASSES),
    }
    rows = [_row(title, names & there, names - there) for title, names in groups.items()]
    whole = [f"`{name}`" for name in THEIR_CLASSES if name not in CLASSES]
    inner = []
    for kind, cls in CLASSES.items():
        given, refused = map(set, built(kind, cls))
        base = BASES.get(kind)
        if base is not None:
            above = [set(names) for names in built(base, CLASSES[base])]
            given, refused = given - above[0], refused - above[1]
        inner.append(_row(f"`{kind}`", given, refused))
    return HEAD + "".join(rows) + CLASSES_HEAD.format(refused=", ".join(whole)) + "".join(inner)


def _row(title: str, there: Iterable[str], refused: Iterable[str]) -> str:
    return f"| {title} | {_listed(there)} | {_listed(refused)} |\n"


def _listed(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in sorted(names))


if __name__ == "__main__":
    print(page(), end="")
