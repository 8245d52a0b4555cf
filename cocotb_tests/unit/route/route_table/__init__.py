"""Bench of `hdl.route.route_table`."""
