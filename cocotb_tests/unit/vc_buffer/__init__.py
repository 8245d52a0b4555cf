"""Bench of `hdl.vc_buffer`."""
