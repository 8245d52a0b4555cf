"""Bench of `hdl.linear_table`."""
