"""Bench of `hdl.route_queue`."""
