"""Bench of `hdl.allocate.switch_allocator`."""
