"""tsuji: an HPC interconnect switch described in Python, from its gates to a network."""

from importlib.metadata import version

__version__ = version("tsuji")
