"""Bench of `hdl.head_delay`."""
