"""Routing: one algorithm a file, all yielding tables; `deadlock` checks any of them."""
