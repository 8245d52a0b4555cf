"""Which reader takes a file: GOAL and packet lists by the name's end, else a time-independent trace."""

from __future__ import annotations

from pathlib import Path

from models.errors import TsujiError
from sim.schedule.goal import read_goal
from sim.schedule.operations import Schedule
from sim.schedule.packet_list import SUFFIXES, PacketList
from sim.schedule.ti.timed_part import WHOLE
from sim.schedule.ti.trace import TiTrace, TraceOptions


def open_schedule(path: Path, options: TraceOptions) -> Schedule:
    """Return the schedule in a file or folder.

    Raises
    ------
    TsujiError
        If it cannot be read, or is none; if it is no trace and only a part of it is wanted.
    """
    traced = not path.name.endswith((".goal", ".goal.zst")) and path.suffix not in SUFFIXES
    if options.part != WHOLE and not traced and path.exists():
        raise TsujiError(f"{path}: only of a time-independent trace can a part be taken")
    if path.name.endswith((".goal", ".goal.zst")):
        return read_goal(path)
    if path.suffix in SUFFIXES:
        return PacketList(path)
    return TiTrace(path, options)
