"""Volume: a Verilated switch in a shared library, driven in blocks and compared with the compiled model."""
