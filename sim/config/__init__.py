"""Reading and checking a configuration."""

from sim.config.read import Config, load, load_network, read

__all__ = ["Config", "load", "load_network", "read"]
