"""Whether the switches of a network are advanced in batches of 64 (`models.batched`), or one by one."""

from __future__ import annotations

from typing import Literal

from models.batched.limits import why_not_batched
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
    obstacle = why_not_batched(params, topology.ports)
    if wanted is True and obstacle:
        given, _, allowed = obstacle.partition(": ")
        raise TsujiError(
            f"run.simd = true: switches with {given} cannot be advanced 64 at a time; they can with {allowed}, or take "
            'run.simd = false or "auto"'
        )
    if wanted == "auto":
        return not obstacle and topology.switches >= PAYS_FROM and workers <= batches_of(topology.switches)
    return wanted
