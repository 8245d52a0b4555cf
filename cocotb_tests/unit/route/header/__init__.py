"""Bench of `hdl.route.header`."""
