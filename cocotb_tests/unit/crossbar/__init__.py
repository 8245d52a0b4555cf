"""Bench of `hdl.crossbar`."""
