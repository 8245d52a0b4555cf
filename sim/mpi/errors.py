"""Errors of programs."""

from __future__ import annotations

from models.errors import TsujiError


class ProgramError(TsujiError):
    """A program violates the rules of MPI, or fails."""


class DeadlockError(TsujiError):
    """Ranks wait for ever; the message says what each of them waits for."""

    exit_code = 1
