"""Collectives made of messages: one file per collective, with its algorithms by name."""
