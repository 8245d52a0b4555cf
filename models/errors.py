"""Errors: of what the user gives, and of the compiler."""


class TsujiError(Exception):
    """A bad value, named with where it stands, what it is and what is allowed.

    Attributes
    ----------
    exit_code : int
        Exit code of the command line.
    """

    exit_code = 2


class CompilationError(Exception):
    """A function cannot be compiled for the types of its arguments."""
