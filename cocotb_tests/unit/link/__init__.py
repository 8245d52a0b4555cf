"""Bench of `hdl.link`."""
