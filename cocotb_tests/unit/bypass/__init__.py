"""Bench of `hdl.bypass`."""
