"""Closed forms and enumerations: what can be said of a network without simulating it."""
