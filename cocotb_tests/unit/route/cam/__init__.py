"""Bench of `hdl.route.cam`."""
