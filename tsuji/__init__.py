"""tsuji: an HPC interconnect switch described in Python, from its gates to a network."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tsuji.api import build, config, curve, frame, run, saturate, sweep, topology
    from tsuji.workloads import replay

__version__ = version("tsuji")
__all__ = ["__version__", "build", "config", "curve", "frame", "replay", "run", "saturate", "sweep", "topology"]

WORKLOADS = ("replay",)


def __getattr__(name: str) -> Any:
    """Load the Python interface when it is first asked for: the command line's help does without."""
    if name in __all__:
        return getattr(import_module("tsuji.workloads" if name in WORKLOADS else "tsuji.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return what can be asked for, loaded or not."""
    return sorted({*globals(), *__all__})
