"""Bench of `hdl.vc_allocator`."""
