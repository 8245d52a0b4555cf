"""Phases of a measurement, and its figures."""
