"""Formats of graph files; each reader is one file of this folder."""
