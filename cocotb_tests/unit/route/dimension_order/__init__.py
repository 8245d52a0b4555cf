"""Bench of `hdl.route.dimension_order`."""
