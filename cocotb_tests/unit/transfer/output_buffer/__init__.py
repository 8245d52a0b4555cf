"""Bench of `hdl.transfer.output_buffer`."""
