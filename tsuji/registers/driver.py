"""The public Python interface of registers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from models.register_driver import Read, RegisterDriver, Write
from tsuji.cli.switch import read_switch
from tsuji.description import source

if TYPE_CHECKING:
    from tsuji.description import Description


def register_driver(
    description: Description,
    read: Read,
    write: Write,
    settings: Mapping[str, Any] | None = None,
    *,
    base: int = 0,
    table: bool = True,
    streams: int = 0,
) -> RegisterDriver:
    """Return a driver for the registers of a switch, over any bus.

    Parameters
    ----------
    description
        A switch, or a network of equal ones: file or sections, as in `config`.
    read : callable
        `read(address)` returns the 32-bit word at an address in bytes.
    write : callable
        `write(address, value)` writes a word.
    settings : mapping or None
        Keys to override.
    base : int
        Address at which the registers begin.
    table : bool
        Whether the table that replaces the CAM is in the switch.
    streams : int
        Number of AXI4-Streams into the switch.

    Raises
    ------
    tsuji.TsujiError
        If a value is not allowed.
    """
    params = read_switch(*source(description, settings))
    return RegisterDriver(params, read, write, base=base, table=table, streams=streams)
