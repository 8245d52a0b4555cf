"""Which ports of a switch are AXI4-Streams, and what is refused.

Plumbing, so no model; the benches of `hdl.bus.axi_switch` cover it.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.params import SwitchParams


@dataclass(frozen=True)
class Streams:
    """AXI4-Streams instead of credit links at the local ports of a switch.

    Attributes
    ----------
    network : int
        Ports below this number keep their credit links; the others are local.
    whole : bool
        Whether packets leave one after the other, so that a stream needs no `tid`; otherwise packets of different VCs
        alternate.
    """

    network: int
    whole: bool = False

    def check(self, params: SwitchParams) -> None:
        """Refuse a switch that cannot have these streams.

        Raises
        ------
        ValueError
            Names the field, its value and what is allowed.
        """
        if self.network >= params.ports:
            raise ValueError(f"no local port: all of switch.ports = {params.ports} lead to other switches")
        if params.data_width % 8:
            raise ValueError(f"switch.data_width = {params.data_width}: must be a multiple of 8, as in AXI4-Stream")
        if params.max_packet is not None and params.max_packet <= params.header_flits:
            raise ValueError(
                f"switch.max_packet = {params.max_packet}: must be at least {params.header_flits + 1}, as the header "
                f"takes {params.header_flits} and the words of a stream the flits behind it"
            )
        if self.whole and params.max_packet is None:
            raise ValueError(
                f'whole packets are stored, and switch.buffering = "{params.buffering}" has no longest one; use '
                '"static" or "dynamic" with switch.max_packet'
            )

    def local_ports(self, params: SwitchParams) -> int:
        """Return the number of streams in each direction."""
        return params.ports - self.network


def user_bits(params: SwitchParams) -> int:
    """Return the number of bits of a header above its destination tag."""
    return params.header_flits * params.data_width - params.tag_width
