"""Bench of `hdl.input_unit`."""
