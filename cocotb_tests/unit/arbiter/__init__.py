"""Bench of `hdl.arbiter`."""
