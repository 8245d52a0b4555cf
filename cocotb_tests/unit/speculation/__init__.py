"""Bench of `hdl.speculation`."""
