"""Boards on which a prototype can be built: one line each. Pins come from amaranth-boards."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from models.errors import TsujiError

LUTS = {"LFE5U-12F": 12_144, "LFE5U-25F": 24_288, "LFE5U-45F": 43_848, "LFE5U-85F": 83_640}
BLOCK_MEMORIES = {"LFE5U-12F": 32, "LFE5U-25F": 56, "LFE5U-45F": 108, "LFE5U-85F": 208}
"""Per device: LUT4 and block memories of 18 kbit."""


@dataclass(frozen=True)
class Board:
    """A board with an ECP5, an oscillator and a UART.

    Attributes
    ----------
    name : str
        Name on the command line.
    module, platform : str
        Module of amaranth-boards, and the class in it.
    loader : str
        The board's name for openFPGALoader.
    """

    name: str
    module: str
    platform: str
    loader: str

    def open(self) -> Any:
        """Return the platform.

        Raises
        ------
        TsujiError
            If amaranth-boards is missing.
        """
        try:
            module = importlib.import_module(f"amaranth_boards.{self.module}")
        except ImportError as error:
            raise TsujiError("amaranth-boards is missing: install tsuji[board]") from error
        return getattr(module, self.platform)()


BOARDS = {
    board.name: board
    for board in (
        Board("ulx3s_85f", "ulx3s", "ULX3S_85F_Platform", "ulx3s"),
        Board("ulx3s_45f", "ulx3s", "ULX3S_45F_Platform", "ulx3s"),
        Board("ulx3s_25f", "ulx3s", "ULX3S_25F_Platform", "ulx3s"),
        Board("ulx3s_12f", "ulx3s", "ULX3S_12F_Platform", "ulx3s"),
        Board("icepi_zero", "icepi_zero", "IcepiZero1_3Platform", "icepi-zero"),
        Board("colorlight_5a75b", "colorlight_5a75b_r7_0", "Colorlight_5A75B_R70Platform", "colorlight"),
    )
}


def board_named(name: str) -> Board:
    """Return a board.

    Raises
    ------
    TsujiError
        If there is none of this name.
    """
    if name not in BOARDS:
        raise TsujiError(f"--board {name}: no such board; must be one of {', '.join(BOARDS)}")
    return BOARDS[name]


def oscillator_mhz(platform: Any) -> float:
    """Return the frequency of a platform's oscillator."""
    mhz: float = platform.default_clk_frequency / 1e6
    return mhz
