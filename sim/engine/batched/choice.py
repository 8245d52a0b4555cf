"""Whether the switches of a network are advanced in batches of 64 (`models.batched`), or one by one."""

from __future__ import annotations

from typing import Literal

from models.batched.vc_sets import can_batch
from models.errors import TsujiError
from models.jit.simd_type import batches_of
from models.params import SwitchParams
from sim.topology.base import Topology

Simd = bool | Literal["auto"]
PAYS_FROM = 32  # switches: a visit of a batch takes as long as that of five to seven switches, however few are busy


def is_batched(wanted: Simd, params: SwitchParams, topology: Topology, workers: int) -> bool:
    """Return whether to advance the switches of a network in batches.

    Parameters
    ----------
    wanted : bool or "auto"
        "auto": if the switches can be batched, there are 32 or more, and each worker has a batch.
    params : SwitchParams
        Parameters of every switch.
    topology : Topology
        Switches and links.
    workers : int
        Threads or processes asked for, each of which takes whole batches.

    Raises
    ------
    TsujiError
        If `wanted` is something else, or True and they cannot be batched.
    """
    if not isinstance(wanted, bool) and wanted != "auto":
        raise TsujiError(f'run.simd = {wanted!r}: must be True, False or "auto"')
    possible = can_batch(params, topology.ports)
    if wanted is True and not possible:
        raise TsujiError(
            'run.simd = True: these switches cannot be advanced 64 at a time; use False or "auto". They can with '
            'switch.allocator = "input_first" and no VC stage, or "output_first" with a VC stage, switch.claim_full '
            "and no held packets; round-robin arbiters, headers of one flit, up to 15 ports and 15 VCs, "
            "and without static buffering, prediction, adaptive routing and output buffers; dynamic buffering only "
            "with input_first; low-power idle only with input_first, and without head delay and hints"
        )
    if wanted == "auto":
        return possible and topology.switches >= PAYS_FROM and workers <= batches_of(topology.switches)
    return wanted
