"""The records that components share, whose fields each of them declares: of a switch, a port, an input VC."""

from __future__ import annotations

from models.state.declare import PORT, SWITCH, VC, Registers, placed, shared
from models.state.placement import Area
from models.state.registers import Records


class SharedRecords(Registers):
    """One array for each record.

    Batched: `output` and `vc` are as `models.readout.show_registers`, or an adaptive choice, last wrote them, but for
    what `models.top` keeps.
    """

    switch: Records = placed(Area.SETS, shared("switch"), SWITCH)
    input: Records = placed(Area.INPUTS, shared("input"), PORT)
    output: Records = placed(Area.OUTPUTS, shared("output"), PORT)
    vc: Records = placed(Area.BUFFERS, shared("vc"), VC)
