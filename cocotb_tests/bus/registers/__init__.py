"""Bench of `hdl.bus.registers`."""
