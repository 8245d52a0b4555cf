"""Names of the two files of power over time: the one that the user names, for links, and the one for switches."""

from __future__ import annotations

from pathlib import Path

from sim.files.output_file import check_output


def switches_file(path: Path) -> Path:
    """Return the name of the file of switches that belongs to a file of links."""
    return path.with_suffix(f".switches{path.suffix}")


def check_files(path: Path) -> None:
    """Check that the file of links of this name, and the file of switches that belongs to it, can be written.

    Raises
    ------
    TsujiError
        If not.
    """
    check_output(path)
    check_output(switches_file(path))
