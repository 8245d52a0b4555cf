"""Errors of programs, and MPI's classes of errors."""

from __future__ import annotations

from models.errors import TsujiError

SUCCESS = 0
_TEXTS = {
    "BUFFER": "invalid buffer",
    "COUNT": "invalid count",
    "TYPE": "invalid datatype",
    "TAG": "invalid tag",
    "COMM": "invalid communicator",
    "RANK": "invalid rank",
    "ROOT": "invalid root",
    "GROUP": "invalid group",
    "OP": "invalid operation",
    "TOPOLOGY": "invalid topology",
    "DIMS": "invalid dimensions",
    "ARG": "invalid argument",
    "UNKNOWN": "unknown error",
    "TRUNCATE": "message truncated",
    "OTHER": "other error",
    "INTERN": "internal error",
    "IN_STATUS": "see the error in the status",
    "PENDING": "pending request",
    "REQUEST": "invalid request",
    "WIN": "invalid window",
    "SIZE": "invalid size",
    "DISP": "invalid displacement",
    "RMA_SYNC": "one-sided access outside an epoch",
    "RMA_RANGE": "one-sided access outside the window",
}
ERROR_CLASSES = {f"ERR_{name}": number for number, name in enumerate(_TEXTS, 1)}
"""Numbers of the classes that can occur; MPI leaves the numbers to its implementations."""


def error_string(code: int) -> str:
    """Return the text of an error class."""
    return next((text for number, text in enumerate(_TEXTS.values(), 1) if number == code), "no error")


class ProgramError(TsujiError):
    """A program violates the rules of MPI, or fails."""


class MpiError(ProgramError, RuntimeError):
    """An error that a program may catch: `MPI.Exception`.

    Parameters
    ----------
    ierr : int
        Its class, one of `ERROR_CLASSES`.
    text : str
        What is wrong; the text of the class if empty.
    """

    error_class: int
    error_code: int

    def __init__(self, ierr: int = SUCCESS, text: str = "") -> None:
        super().__init__(text or error_string(ierr))
        self.error_class = self.error_code = ierr

    @classmethod
    def of(cls, name: str, text: str) -> MpiError:
        """Return an error of the class `ERR_name`."""
        return cls(ERROR_CLASSES[f"ERR_{name}"], text)

    def Get_error_class(self) -> int:  # noqa: N802 - MPI's names
        """Return the error class."""
        return self.error_class

    def Get_error_code(self) -> int:  # noqa: N802
        """Return the error class: there are no finer codes."""
        return self.error_code

    def Get_error_string(self) -> str:  # noqa: N802
        """Return the text of the error class."""
        return error_string(self.error_class)

    @property
    def error_string(self) -> str:
        """Text of the error class."""
        return error_string(self.error_class)

    def __int__(self) -> int:
        return self.error_code

    def __eq__(self, other: object) -> bool:
        return self.error_code == (other.error_code if isinstance(other, MpiError) else other)

    def __hash__(self) -> int:
        return hash(self.error_code)


class ValueMisusedError(ProgramError, ValueError):
    """An argument that mpi4py, too, refuses by a ValueError."""


class TypeMisusedError(ProgramError, TypeError):
    """An argument that mpi4py, too, refuses by a TypeError."""


class DeadlockError(TsujiError):
    """Ranks wait for ever; the message says what each of them waits for."""

    exit_code = 1
