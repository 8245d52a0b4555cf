"""Selects the reader of a file: GOAL by its name or content, packet lists by the name, else a trace."""

from __future__ import annotations

from pathlib import Path

from models.errors import TsujiError
from sim.schedule.binary_goal import is_binary_goal, read_binary_goal
from sim.schedule.goal import is_goal, read_goal
from sim.schedule.operations import Schedule
from sim.schedule.packet_list import SUFFIXES, PacketList
from sim.schedule.ti.timed_part import WHOLE
from sim.schedule.ti.trace import TiTrace, TraceOptions
from sim.schedule.ti.trace_files import files_of_list


def open_schedule(path: Path, options: TraceOptions) -> Schedule:
    """Return the schedule in a file or folder.

    Raises
    ------
    TsujiError
        If it cannot be read, or is no schedule; if a part or groups are requested of a file that is no trace.
    """
    listed = path.suffix in SUFFIXES
    binary = not listed and is_binary_goal(path)
    goal = not listed and not binary and is_goal(path)
    traced = not (goal or listed or binary)
    if options.part != WHOLE and not traced and path.exists():
        raise TsujiError(f"{path}: a part can only be taken of a time-independent trace")
    if options.groups and not traced and path.exists():
        raise TsujiError(f"{path}: --group {str(options.groups[0])!r}: only a time-independent trace has collectives")
    if binary:
        return read_binary_goal(path)
    if goal:
        return read_goal(path)
    return PacketList(path) if listed else TiTrace(path, options)


def files_of(path: Path) -> list[Path]:
    """Return the files that a schedule consists of, whose content is all that it depends on.

    Raises
    ------
    TsujiError
        If a list names a file that does not exist.
    """
    if path.is_dir():
        return [each for each in sorted(path.rglob("*")) if each.is_file()]
    traced = path.suffix not in SUFFIXES and not is_binary_goal(path) and not is_goal(path)
    return [path, *files_of_list(path)] if traced else [path]
