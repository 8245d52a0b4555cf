"""Bench of `hdl.lpi`."""
