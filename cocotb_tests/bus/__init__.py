"""Benches of the buses."""
