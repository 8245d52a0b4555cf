"""Bench of `hdl.route.miss_unit`."""
