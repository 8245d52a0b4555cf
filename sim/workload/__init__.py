"""Workloads: schedules of operations, traces and programs, on an ideal network or on a real one."""
