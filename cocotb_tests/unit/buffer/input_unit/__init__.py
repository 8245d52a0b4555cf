"""Bench of `hdl.buffer.input_unit`."""
