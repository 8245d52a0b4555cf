"""Benches of single components, each against the functions of the same name in `models`."""
