"""Bench of `hdl.route_cache`."""
