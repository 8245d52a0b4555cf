"""Benches of `hdl/lib/`."""
