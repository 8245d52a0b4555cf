"""What the Verilog module of a switch has beside the switch.

Plumbing: no behaviour, so neither model nor bench.
"""

from __future__ import annotations

from dataclasses import dataclass

from hdl.bus.streams import Streams
from models.params import SwitchParams


@dataclass(frozen=True)
class SwitchModule:
    """A switch, and how its module carries what goes in and out.

    Attributes
    ----------
    params : SwitchParams
    table : bool
        Whether the table that replaces the CAM is included.
    split : bool
        Whether payloads are split into a port per field.
    streams : Streams or None
        AXI4-Streams at local ports; None: credit links at all ports.
    registers : bool
        Whether what is programmed and read is behind AXI4-Lite.
    """

    params: SwitchParams
    table: bool = True
    split: bool = False
    streams: Streams | None = None
    registers: bool = False

    @property
    def stream_count(self) -> int:
        """Number of streams into the switch, 0 without streams."""
        return self.streams.local_ports(self.params) if self.streams else 0
