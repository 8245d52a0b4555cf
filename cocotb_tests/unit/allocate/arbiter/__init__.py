"""Bench of `hdl.allocate.arbiter`."""
