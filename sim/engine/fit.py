"""Whether switches fit a topology."""

from __future__ import annotations

from models.errors import TsujiError
from models.params import SwitchParams
from sim.topology.base import Int64, Topology
from sim.topology.hyper_crossbar import HyperCrossbar


def crossbars_that_fit(params: SwitchParams, topology: Topology, programmed: bool) -> Int64 | None:
    """Return the dimension of each switch that is a crossbar of a hyper-crossbar [S], -1 of others; None if none is.

    Parameters
    ----------
    params : SwitchParams
        Parameters of every switch.
    topology : Topology
        The switches' network.
    programmed : bool
        Whether there are routes to program into tables.

    Raises
    ------
    TsujiError
        If the switches have other ports than the topology, or need tables that are not there, or have no use for them.
    """
    needed, crossbars = topology.ports, None
    if isinstance(topology, HyperCrossbar) and params.computed:
        needed, crossbars = topology.exchanger_ports, topology.crossbar
    if params.ports != needed:
        raise TsujiError(f"switch.ports = {params.ports}: {topology.name} has switches of {needed} ports")
    if params.node_ports != topology.node_ports:
        raise TsujiError(
            f"switch.node_ports = {params.node_ports}: {topology.name} has {topology.node_ports} ports per node"
        )
    if programmed != params.programmed:
        raise TsujiError(f'switch.routing = "{params.routing}": tables are {"unused" if programmed else "needed"}')
    return crossbars
