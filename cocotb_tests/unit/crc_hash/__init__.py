"""Bench of `hdl.crc_hash`."""
