"""Bench of `hdl.buffer.vc_buffer`."""
