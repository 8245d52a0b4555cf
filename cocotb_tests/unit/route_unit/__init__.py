"""Bench of `hdl.route_unit`."""
