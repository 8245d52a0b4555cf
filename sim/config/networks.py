"""The sections that describe networks: [topology], [planes] and [faults]."""

from __future__ import annotations

import re
from dataclasses import dataclass

from models.errors import TsujiError
from models.params.config_file import Table, build
from sim.config.faults import FaultsSection
from sim.config.kinds import kind_of
from sim.config.planes import PlanesSection
from sim.lib.progress import report
from sim.topology.base import Topology
from sim.topology.family import FAMILIES, Family


@dataclass(frozen=True)
class NetworkSections:
    """What networks are made of.

    Attributes
    ----------
    family : Family
        The family and its keys.
    planes : PlanesSection or None
        Several planes; None: a single network.
    faults : FaultsSection or None
        Failed cables and switches; None: no section.
    table : Table or None
        Configuration from which these are, for the places named in messages.
    """

    family: Family
    planes: PlanesSection | None = None
    faults: FaultsSection | None = None
    table: Table | None = None

    def topologies(self) -> list[Topology]:
        """Return the network of each plane, as faults leave it.

        Raises
        ------
        TsujiError
            If the keys of a family, planes or faults do not describe any.
        """
        report("topology")
        if self.planes is not None:
            return self.planes.topologies(self.family)
        whole = self.family.build()
        if self.faults is None:
            return [whole]
        try:
            return [self.faults.applied(whole)]
        except TsujiError as error:
            key = re.split("[: ]", str(error), maxsplit=1)[0]
            raise TsujiError(f"{self.table.origin(key) if self.table else ''}{error}") from error

    def for_traffic(self) -> Topology:
        """Return the network whose nodes a traffic pattern numbers: the one before faults if all nodes are left."""
        whole = self.family.build()
        if self.faults is None:
            return whole
        left = self.topologies()[0]
        return whole if whole.nodes == left.nodes else left


def network_sections(table: Table) -> NetworkSections:
    """Return the sections [topology], [planes] and [faults] of a configuration.

    Raises
    ------
    TsujiError
        If a value is not allowed; the message names place, key, value and what is allowed.
    """
    planes = build(PlanesSection, table["planes"], table, "planes") if "planes" in table else None
    faults = build(FaultsSection, table["faults"], table, "faults") if "faults" in table else None
    if planes is not None and faults is not None:
        raise TsujiError(
            f"{table.origin('faults')}[faults]: with [planes] a node would have to know which plane reaches another "
            "node; leave out one of the two sections"
        )
    return NetworkSections(kind_of(FAMILIES, table, "topology", "torus"), planes, faults, table)
