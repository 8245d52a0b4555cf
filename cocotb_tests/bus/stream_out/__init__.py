"""Bench of `hdl.bus.stream_out`."""
