"""Bench of `hdl.lib.logic`."""
