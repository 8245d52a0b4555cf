"""Closed forms that simulations are held to."""
