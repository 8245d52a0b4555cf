"""The page "Python": every public name of `tsuji`; mkdocstrings fills in signatures and docstrings."""

from __future__ import annotations

GROUPS: dict[str, tuple[str, ...]] = {
    "Networks and runs": ("run", "sweep", "curve", "saturate", "frame", "config", "topology", "from_networkx", "build"),
    "Messages": ("mpi", "region_of_interest", "replay", "read_swf"),
    "Pictures": ("view",),
    "Hardware": ("register_driver", "RegisterDriver"),
    "What is returned": (
        "Config",
        "Topology",
        "Result",
        "SaturationPoint",
        "WorkloadResult",
        "Network",
        "PlaneNetwork",
        "Packets",
        "TsujiError",
    ),
}

HEAD = """\
# Python interface

`import tsuji` gives these names and no others. [From Python](../how_to/python.md) says what to use when.
`tsuji.__version__` is the version.
"""


def page() -> str:
    """Return the page, in Markdown; it lies in docs/reference/."""
    groups = (f"## {title}\n\n" + "\n".join(map(_entry, names)) for title, names in GROUPS.items())
    return HEAD + "\n" + "\n".join(groups)


def _entry(name: str) -> str:
    """Return what mkdocstrings replaces by a name's documentation."""
    return f"::: tsuji.{name}\n"
