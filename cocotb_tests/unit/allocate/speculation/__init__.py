"""Bench of `hdl.allocate.speculation`."""
