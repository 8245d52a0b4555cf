"""Bench of `hdl.transfer.link`."""
