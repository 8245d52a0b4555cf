"""Bench of `hdl.plane_selector`."""
