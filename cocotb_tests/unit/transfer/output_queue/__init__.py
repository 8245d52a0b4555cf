"""Bench of `hdl.transfer.output_queue`."""
