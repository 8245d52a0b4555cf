"""Bench of `hdl.output_buffer`."""
