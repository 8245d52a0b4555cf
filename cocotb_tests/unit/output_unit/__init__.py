"""Bench of `hdl.output_unit`."""
