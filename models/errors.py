"""Errors: mistakes that the user can correct, and failures of the compiler."""


class TsujiError(Exception):
    """Error in the user's input; the message names the place, the value and what is allowed.

    Attributes
    ----------
    exit_code : int
        Exit status of the command line.
    """

    exit_code = 2


class CompilationError(Exception):
    """A function cannot be compiled for the types of its arguments."""
