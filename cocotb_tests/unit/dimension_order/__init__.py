"""Bench of `hdl.dimension_order`."""
