"""Injection of packets by nodes: how many at a time, and at which distance."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from models.errors import TsujiError
from models.params import Params, SwitchParams


class Injection(Params):
    """How a node sends the packets of its queue (microarchitecture.md, section 13, "Nodes"; paper E, section 4).

    Parameters
    ----------
    packets_at_once : int or None
        Most packets of a node that are under way between it and its switch, each on its own VC, on any of its local
        ports. None: one per local port.
    think_time : int
        Least cycles between taking two packets from the queue: the time for which a node works before it sends again,
        while its network interface sends.
    """

    packets_at_once: Annotated[int, Field(ge=1)] | None = None
    think_time: Annotated[int, Field(ge=0, le=1_000_000)] = 0

    def limits(self, switch: SwitchParams) -> tuple[int, int]:
        """Return the most packets of a node under way, in total and at one local port.

        Parameters
        ----------
        switch : SwitchParams
            Switch of the node.

        Raises
        ------
        TsujiError
            If there are fewer VCs.
        """
        if self.packets_at_once is None:
            return switch.node_ports, 1
        if self.packets_at_once > (most := switch.node_ports * switch.vcs):
            raise TsujiError(
                f"traffic.packets_at_once = {self.packets_at_once}: each packet has a VC of its own, and a node has "
                f"{most}; at most switch.node_ports · switch.vcs, {switch.node_ports} · {switch.vcs}"
            )
        return self.packets_at_once, min(self.packets_at_once, switch.vcs)


ONE_A_PORT = Injection()
"""One packet at a time per local port, without delay."""
