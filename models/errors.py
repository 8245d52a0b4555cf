"""Errors that are the user's to mend."""


class TsujiError(Exception):
    """A bad value, named with where it stands, what it is and what is allowed; the command line exits with code 2."""
