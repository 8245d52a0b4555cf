"""Closed forms and enumerations: figures of a network without simulation."""
