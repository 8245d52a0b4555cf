"""Collectives made of messages: a file a collective, its algorithms by name."""
