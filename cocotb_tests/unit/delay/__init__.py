"""Bench of `hdl.delay`."""
