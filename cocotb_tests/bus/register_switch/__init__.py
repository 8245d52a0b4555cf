"""Bench of `hdl.bus.register_switch`."""
