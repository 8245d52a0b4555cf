"""Bench of `hdl.route.route_cache`."""
