"""Phases of a measurement, and the figures it gives."""
