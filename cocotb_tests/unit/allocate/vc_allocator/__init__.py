"""Bench of `hdl.allocate.vc_allocator`."""
