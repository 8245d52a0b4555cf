"""Bench of `hdl.header`."""
