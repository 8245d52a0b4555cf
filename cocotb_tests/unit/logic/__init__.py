"""Bench of `hdl.logic`."""
