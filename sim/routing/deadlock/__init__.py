"""Deadlock checks of routes: cycles in the channel dependency graph."""
