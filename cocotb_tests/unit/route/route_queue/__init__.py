"""Bench of `hdl.route.route_queue`."""
