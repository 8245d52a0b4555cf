"""Sweeps and searches over the keys of a configuration."""
