"""Bench of `hdl.transfer.crossbar`."""
