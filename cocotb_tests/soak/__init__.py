"""Soak test: a Verilated switch as a shared library, driven in blocks, compared with the compiled model."""
