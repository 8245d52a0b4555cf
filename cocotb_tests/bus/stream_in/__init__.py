"""Bench of `hdl.bus.stream_in`."""
