"""Bench of `hdl.route.linear_table`."""
