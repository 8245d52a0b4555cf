"""Bench of `hdl.replacement`."""
