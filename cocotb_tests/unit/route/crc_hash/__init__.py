"""Bench of `hdl.route.crc_hash`."""
