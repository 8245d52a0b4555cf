"""How a program can end badly."""

from __future__ import annotations

from models.errors import TsujiError


class ProgramError(TsujiError):
    """A program that does what MPI does not allow, or that fails."""


class DeadlockError(TsujiError):
    """Ranks that wait for ever; the message says who waits for whom."""

    exit_code = 1
