"""Bench of `hdl.power.lpi`."""
