"""Bench of `hdl.buffer.head_delay`."""
