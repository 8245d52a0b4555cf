"""Bench of `hdl.route_table`."""
