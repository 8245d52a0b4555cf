"""Errors that are the user's to mend."""


class TsujiError(Exception):
    """A bad value, named with where it stands, what it is and what is allowed.

    Attributes
    ----------
    exit_code : int
        What the command line then exits with.
    """

    exit_code = 2
