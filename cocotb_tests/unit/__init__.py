"""Benches of single components, each against the functions of its twin in `models`."""
