"""Bench of `hdl.miss_unit`."""
