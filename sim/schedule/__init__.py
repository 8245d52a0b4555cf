"""Schedules: operations of ranks, read from files or made by collectives."""
