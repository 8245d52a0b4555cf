"""Bench of `hdl.lib.replacement`."""
