"""Threads that advance one network: its parts, what they send to one another, and how they wait."""
