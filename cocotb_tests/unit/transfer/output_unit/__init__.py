"""Bench of `hdl.transfer.output_unit`."""
