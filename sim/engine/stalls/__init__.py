"""Stalled networks: which buffers wait for which."""
