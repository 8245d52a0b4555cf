"""Bench of `hdl.cam`."""
