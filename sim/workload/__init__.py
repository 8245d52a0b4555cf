"""Workloads: schedules of operations, traces and programs, on an ideal or a simulated network."""
