"""Bench of `hdl.route.ternary_table`."""
