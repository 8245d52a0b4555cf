"""Bench of `hdl.switch_allocator`."""
