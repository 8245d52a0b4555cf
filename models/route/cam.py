"""CAM interface shared by all ports of a switch (Hirasawa et al., 2020: paper A; microarchitecture.md, section 7)."""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import round_robin, round_robin_next
from models.jit.compiled import compiled
from models.state.declare import Field, Registers, fields
from models.state.registers import SwitchState


class CamRegisters(Registers):
    """The request register, and its arbiter."""

    in_switch = fields(
        Field("cam_tag", np.int64),
        Field("cam_port", np.int16),
        Field("cam_order", np.int64),
        Field("cam_full", np.int8),
    )


@compiled
def cam_accepting(st: SwitchState, s: int, cycle: int) -> bool:
    """Return whether the CAM accepts the request register's request in `cycle`."""
    accepting: bool = st.switch[s].cam_full == 1 and cycle >= st.switch[s].table_ready
    return accepting


@compiled
def cam_arbitrate(st: SwitchState, s: int, requests: int, accepting: bool) -> int:
    """Grant one of the requesting ports if the request register is free in this cycle; return the port, or −1."""
    sw = st.switch[s]
    if requests == 0 or (sw.cam_full and not accepting):
        return -1
    port = round_robin(requests, int(sw.cam_order))
    sw.cam_order = round_robin_next(port)
    return port
