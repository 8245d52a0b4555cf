"""Bench of `hdl.counters`."""
