"""Bench of `hdl.route.route_unit`."""
