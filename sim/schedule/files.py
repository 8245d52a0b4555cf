"""Selects the reader of a file: GOAL and packet lists by the name's ending, else a time-independent trace."""

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
        If it cannot be read, or is no schedule; if a part or groups are requested of a file that is no trace.
    """
    traced = not path.name.endswith((".goal", ".goal.zst")) and path.suffix not in SUFFIXES
    if options.part != WHOLE and not traced and path.exists():
        raise TsujiError(f"{path}: a part can only be taken of a time-independent trace")
    if options.groups and not traced and path.exists():
        raise TsujiError(f"{path}: --group {str(options.groups[0])!r}: only a time-independent trace has collectives")
    if path.name.endswith((".goal", ".goal.zst")):
        return read_goal(path)
    if path.suffix in SUFFIXES:
        return PacketList(path)
    return TiTrace(path, options)
