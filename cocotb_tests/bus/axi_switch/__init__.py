"""Bench of `hdl.bus.axi_switch`."""
