"""Reservation of paths through crossbars: RTL against model."""
