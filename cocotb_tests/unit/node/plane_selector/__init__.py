"""Bench of `hdl.node.plane_selector`."""
