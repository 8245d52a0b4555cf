"""Bench of `hdl.lib.delay`."""
