"""Options that select the ports of a switch: credit links, or AXI4-Streams at local ports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models.errors import TsujiError
from models.params import SwitchParams

if TYPE_CHECKING:
    from hdl.bus.streams import Streams

KINDS = ("links", "axi", "axi,whole")


def _kind(kind: str) -> str:
    """Refuse another kind of ports, as the callback of an option."""
    if kind not in KINDS:
        raise TsujiError(f"--ports {kind}: must be {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    return kind


PortKind = Annotated[
    str,
    typer.Option(
        "--ports",
        metavar="|".join(KINDS),
        callback=_kind,
        help="links: credit links at all ports. axi: AXI4-Streams at local ports, with tid = VC. axi,whole: the same "
        "with packets that leave one after the other, for which switch.max_packet must be set. Local are the ports of "
        "nodes, as the topology of the file or computed routes tell; with tables and no topology all ports, or those "
        "from --network-ports on.",
    ),
]
NetworkPorts = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="With --ports axi, tables and no topology: ports below N lead to other switches.",
        show_default=False,
    ),
]

WithRegisters = Annotated[
    bool | None,
    typer.Option(
        "--registers/--no-registers",
        help="Put what is programmed and read behind one AXI4-Lite port, as `tsuji registers` prints it. Default: with "
        "--ports axi.",
        show_default=False,
    ),
]


def has_registers(given: bool | None, kind: str) -> bool:
    """Return whether a switch with ports of a kind has registers, as the option says or by default."""
    return kind != "links" if given is None else given


def read_streams(
    kind: str, network_ports: int | None, params: SwitchParams, config: Path | None, overrides: Sequence[str]
) -> Streams | None:
    """Return which ports are AXI4-Streams, for the options above and the switch of a file; None: no port is.

    Raises
    ------
    TsujiError
        If the switch cannot have such ports, or it follows from other keys which ports are local.
    """
    if kind == "links":
        if network_ports is not None:
            raise TsujiError(f"--network-ports {network_ports}: only --ports axi uses it; leave it out")
        return None
    from hdl.bus.streams import Streams

    known = _first_local(params, config, overrides, kind)
    if known is not None and network_ports is not None:
        number, source = known
        raise TsujiError(f"--network-ports {network_ports}: {number} follows from {source}; leave it out")
    streams = Streams(known[0] if known else network_ports or 0, whole=kind == "axi,whole")
    try:
        streams.check(params)
    except ValueError as error:
        raise TsujiError(f"--ports {kind}: {error}") from error
    return streams


def _first_local(
    params: SwitchParams, config: Path | None, overrides: Sequence[str], kind: str
) -> tuple[int, str] | None:
    """Return the first local port of a switch and what tells it; None if nothing does."""
    if params.crossbar is not None:
        raise TsujiError(f"--ports {kind}: switch.crossbar = {params.crossbar}: a crossbar has no local ports")
    if params.routing == "fat_tree":
        raise TsujiError(
            f'--ports {kind}: switch.routing = "fat_tree": a port leads to a node at one switch and on at another; use '
            "links"
        )
    if params.computed:
        return params.first_local, "switch.radix"
    if params.network_ports is not None:
        return params.network_ports, "switch.network_ports"
    from models.params.config_file import SWITCH_SECTIONS, read_config

    if set(read_config(config, overrides)) <= set(SWITCH_SECTIONS):
        return None
    from sim.config import load_network

    topology = load_network(config, overrides).topologies()[0]
    if topology.after_links > topology.network_ports:
        raise TsujiError(
            f"--ports {kind}: a port of {topology.name} leads to a node at one switch and on at another; give a file "
            "of the switch alone, with --network-ports"
        )
    return topology.network_ports, topology.name
