"""Reading and checking a configuration."""

from sim.config.read import Config, first_network, load, load_network, read

__all__ = ["Config", "first_network", "load", "load_network", "read"]
