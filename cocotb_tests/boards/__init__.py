"""Benches of what is on a board beside the network."""
