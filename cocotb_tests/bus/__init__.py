"""Benches of the standard buses, `hdl/bus/`: bus models of cocotbext-axi against packets that are sent."""
