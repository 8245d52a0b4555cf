"""tsuji: an HPC interconnect switch described in Python, from its gates to a network."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from tsuji.shadowed import refuse_shadowed

if TYPE_CHECKING:
    from models.errors import TsujiError
    from models.register_driver import RegisterDriver
    from sim.config import Config
    from sim.engine.network import Network
    from sim.engine.planes import PlaneNetwork
    from sim.measure.result import Result
    from sim.mpi.region import region_of_interest
    from sim.packets import Packets
    from sim.schedule.swf import read_swf
    from sim.sweep.saturation import SaturationPoint
    from sim.topology.base import Topology
    from sim.topology.graph import from_networkx
    from sim.workload.result import WorkloadResult
    from tsuji.api import build, config, curve, frame, run, saturate, sweep, topology
    from tsuji.programs import mpi
    from tsuji.registers.driver import register_driver
    from tsuji.views import view
    from tsuji.workloads import replay

refuse_shadowed()

__version__ = version("tsuji")
__all__ = [
    "Config",
    "Network",
    "Packets",
    "PlaneNetwork",
    "RegisterDriver",
    "Result",
    "SaturationPoint",
    "Topology",
    "TsujiError",
    "WorkloadResult",
    "__version__",
    "build",
    "config",
    "curve",
    "frame",
    "from_networkx",
    "mpi",
    "read_swf",
    "region_of_interest",
    "register_driver",
    "replay",
    "run",
    "saturate",
    "sweep",
    "topology",
    "view",
]

_PLACES = {
    "Config": "sim.config",
    "Network": "sim.engine.network",
    "Packets": "sim.packets",
    "PlaneNetwork": "sim.engine.planes",
    "RegisterDriver": "models.register_driver",
    "Result": "sim.measure.result",
    "SaturationPoint": "sim.sweep.saturation",
    "Topology": "sim.topology.base",
    "TsujiError": "models.errors",
    "WorkloadResult": "sim.workload.result",
    "from_networkx": "sim.topology.graph",
    "mpi": "tsuji.programs",
    "read_swf": "sim.schedule.swf",
    "region_of_interest": "sim.mpi.region",
    "register_driver": "tsuji.registers.driver",
    "replay": "tsuji.workloads",
    "view": "tsuji.views",
}


def __getattr__(name: str) -> Any:
    """Load a name of the Python interface on first use."""
    if name in __all__:
        return getattr(import_module(_PLACES.get(name, "tsuji.api")), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names of the Python interface, loaded or not."""
    return sorted(__all__)
